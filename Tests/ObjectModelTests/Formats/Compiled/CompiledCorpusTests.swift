// SPDX-License-Identifier: Apache-2.0

// Models in real stores that Core Data compiled, if available: OUTCROP_CORPUS names their folder.

import Compression
import FoundationEssentials
import JSON
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite(
    "Models in real stores",
    .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"),
    .enabled(if: StoreDatabase.isReadable, "the program sqlite3 isn't installed")
)
struct CompiledCorpusTests {
    @Test("the corpus has stores with models")
    func thereAreSome() throws {
        let count = try Corpus.stores.count { path in
            try StoreDatabase.withCopy(of: path) { try $0.modelCache() != nil }
        }
        #expect(count > 40)
    }

    @Test(
        "a real store's model is readable and has the store's entities and attributes",
        arguments: Turn.part(of: Corpus.stores)
    )
    func reading(path: String) throws {
        try StoreDatabase.withCopy(of: path) { store in
            guard let cache = try store.modelCache() else { return }
            let version = try ModelVersion(compiled: cache)
            #expect(version.issues.filter { $0.code != .modelLeftOut } == [])
            let model = version.model
            #expect(model.issues().filter { $0.severity == .error } == [])
            // A store may still have the entity's previous name.
            let names = Set(model.entities.map(\.name)).union(model.entities.compactMap(\.renamingIdentifier))
            let stored = try store.rows("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000").map { $0[0] }
            #expect(stored.filter { !names.contains($0) } == [])
            #expect(stored.count <= model.entities.count)
            for entity in model.entities where stored.contains(entity.name) {
                let root = try #require(model.lineage(of: entity).first)
                let columns = try store.rows("PRAGMA table_info('Z\(root.name.uppercased())')").map { $0[1] }
                let missing = entity.attributes.filter { attribute in
                    let name = "Z" + attribute.name.uppercased()
                    // Unrelated entities in one table may have columns of the same name, which are then numbered.
                    return !attribute.isTransient
                        && !columns.contains { $0.hasPrefix(name) && Int("0" + $0.dropFirst(name.count)) != nil }
                }
                #expect(missing.map(\.name) == [], "\(entity.name)")
            }
        }
    }

    @Test("a real store's model is unchanged after compiling it again", arguments: Turn.part(of: Corpus.stores))
    func roundTrip(path: String) throws {
        guard let cache = try Self.cache(of: path) else { return }
        let model = try Model(compiled: cache)
        let again = try ModelVersion(compiled: model.compiledForStore())
        #expect(again.issues == [])
        #expect(again.model == model)
        #expect(try Model(compiled: model.compiled()) == model)
    }

    @Test("compiled objects have the same form as Core Data's", arguments: Turn.part(of: Corpus.stores))
    func shape(path: String) throws {
        guard let cache = try Self.cache(of: path) else { return }
        let theirs = try ArchiveShape(cache.inflated(limit: 1 << 24))
        let ours = try ArchiveShape(Model(compiled: cache).compiled())
        // Some classes have a mutable variant, and older versions of Core Data had other kinds of indexes.
        let classes: Set = [
            "NSArray", "NSMutableArray", "NSSet", "NSDictionary", "NSMutableDictionary", "NSFetchIndexDescription",
            "NSFetchIndexElementDescription",
        ]
        let newer: Set = ["NSFetchIndexDescriptions", "NSCompoundIndexes"]
        for (name, keys) in ours.keys {
            guard let known = theirs.keys[name] else {
                #expect(classes.contains(name), "\(name)")
                continue
            }
            #expect(keys.always.isSuperset(of: known.always), "\(name): \(known.always.subtracting(keys.always))")
            #expect(known.ever.union(newer).isSuperset(of: keys.ever), "\(name): \(keys.ever.subtracting(known.ever))")
            #expect(ours.chains[name] == theirs.chains[name])
        }
    }

    @Test("a store's compiled model has the hashes of its source model", arguments: Turn.part(of: Corpus.pairs))
    func pairs(pair: Corpus.Pair) throws {
        let cache = try #require(try Self.cache(of: pair.store))
        let compiled = try Model(compiled: cache)
        for path in pair.models {
            let source = try ModelVersion(contents: Corpus.bytes(of: path)).model
            #expect(source.versionHashes() == compiled.versionHashes())
        }
    }

    private static func cache(of path: String) throws -> [UInt8]? {
        try StoreDatabase.withCopy(of: path) { try $0.modelCache() }
    }
}

@Suite("Compiled models of real sources", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct CompiledModelCorpusTests {
    @Test(
        "a compiled model preserves everything that the format can express",
        arguments: Turn.part(of: Corpus.contents)
    )
    func roundTrip(path: String) throws {
        let model = try ModelVersion(contents: Corpus.bytes(of: path)).model
        let version = try ModelVersion(compiled: model.compiled())
        #expect(version.issues == [])
        #expect(version.model == model.compilable)
        #expect(try Model(compiled: version.model.compiled()) == version.model)
    }

    @Test("a compiled model preserves predicates of real formats", arguments: Turn.part(of: Corpus.formats))
    func predicates(format: String) throws {
        guard let predicate = try? ObjectPredicate(template: format), predicate.isComplete else { return }
        var model = Model(entities: [Entity(name: "E")])
        model.fetchRequestTemplates = [FetchRequestTemplate("all", entity: "E", predicate: predicate.description)]
        let version = try ModelVersion(compiled: model.compiled())
        #expect(version.issues == [])
        #expect(version.model.fetchRequestTemplates[0].predicate == predicate.asArchived.description)
    }
}
