// SPDX-License-Identifier: Apache-2.0

// `outcrop store convert`

import Arguments
import AtomicStores
import Files
import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import SQLiteStore

extension StoreCommand {
    private static let source = Argument<StoreLocation>(
        "FROM",
        "The store to convert.",
        completion: StoreFiles.completion
    )
    private static let target = Argument<StoreLocation>("TO", "The file to create.", completion: StoreFiles.completion)
    private static let kind = Option<StoreKind?>(
        "to",
        value: "KIND",
        "The kind of store. By default the scheme or the extension of TO determines it."
    )
    private static let force = Flag("force", "Replace an existing file.")

    static let convert = Command<Action>(
        "convert",
        "Convert a store into another kind.",
        discussion: """
            All objects are written with all values, references and orders, and with the store's metadata. The file appears when
            it is complete and its objects have been counted. Objects keep their URIs, with one exception: if a SQLite store has the
            same key in several entities, and the new file is in XML or binary form, objects get new numbers, and the new
            store a new identifier. The persistent history isn't copied.
            """,
        examples: [
            Example("outcrop store convert App.sqlite App.xml"),
            Example("outcrop store convert App.xml sqlite:App.db --model App.xcdatamodeld"),
        ],
        exitCodes: exitCodes,
        parameters: [source, target, kind, force, model]
    ) { parsed, _ in
        let target = parsed[target]
        guard let kind = parsed[kind] ?? target.scheme ?? StoreKind(extensionOf: target.path) else {
            throw Failure(
                "The kind of store to write to “\(target.path)” isn't known.",
                hint: "Give it: --to sqlite, --to xml or --to binary",
                status: .usage
            )
        }
        let source = try StoreFiles.open(parsed[source], model: parsed[model])
        let isThere = FileSystem.exists(target.path)
        if isThere, FileSystem.identity(of: target.path) == FileSystem.identity(of: source.path) {
            throw Failure("A store can't be converted into its own file.", code: "store.exists", file: target.path)
        }
        guard !isThere || parsed[force] else {
            throw Failure(
                "The file exists already, and is not overwritten.",
                hint: "Use another name, or replace it: --force",
                code: "store.exists",
                file: target.path
            )
        }
        var written = WrittenStore()
        try NewStoreFile(target.path, kind: kind).make { path in
            written = try ProgressBar.showing("Converting \(source.path)") { _ in
                try StoreConversion(source: source, path: path, kind: kind).run()
                return try source.expectSameCounts(as: path, kind: kind)
            }
        }
        let dropped = source.kind == .sqlite ? try StoreSummary(path: source.path).historyTransactions ?? 0 : 0
        var lines = [StyledText("Wrote \(target.path): \(kind.name) store, \(Wording.count(written.count, "object")).")]
        if dropped > 0 {
            lines.append(StyledText("Its history isn't converted: \(Wording.count(dropped, "transaction"))."))
        }
        let isNew = written.identifier != source.store.identifier
        if isNew {
            lines.append(StyledText("The new store has another identifier, so the URIs of its objects are others."))
        }
        return Report(
            text: lines.joined(separator: "\n"),
            json: [
                "output": .string(target.path), "kind": .string(kind.rawValue), "objects": .integer(written.count),
                "droppedTransactions": .integer(dropped), "hasNewIdentifier": .bool(isNew),
            ]
        )
    }
}

/// A store that was converted.
private struct WrittenStore {
    var count = 0
    var identifier: UUID?
}

private struct StoreConversion {
    let source: OpenedStore
    let path: String
    let kind: StoreKind

    func run() throws {
        guard let format = kind.format else {
            return try SQLiteStore.make(
                path: path,
                model: source.model,
                configuration: source.configuration,
                copying: source.store
            )
        }
        let bytes = try format.write(StoreContent(copying: source.store, of: source.model), model: source.model)
        let file = try OpenFile(writing: path, existing: .fail)
        try file.append(bytes.span)
        try file.sync()
    }
}

extension OpenedStore {
    /// Throws unless another store has the same number of objects of each entity, and returns what that has.
    fileprivate func expectSameCounts(as path: String, kind: StoreKind) throws -> WrittenStore {
        let copy: any PersistentStore
        if let format = kind.format {
            copy = try AtomicStore(path: path, format: format, model: model, isReadOnly: true)
        } else {
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            options.configuration = configuration
            copy = try SQLiteStore(path: path, model: model, options: options)
        }
        var written = WrittenStore(identifier: copy.identifier)
        for entity in model.entities {
            let count = try store.count(of: entity)
            let copied = try copy.count(of: entity)
            guard count == copied else {
                throw Failure(
                    "Only \(copied) of \(count) objects of \(entity.name) were written, so the new file is incomplete."
                )
            }
            written.count += count
        }
        return written
    }
}

extension PersistentStore {
    /// The number of objects of an entity, without those of subentities.
    func count(of entity: EntityDescription) throws -> Int {
        let request = StoreFetchRequest(entity: entity, includesSubentities: false, kind: .count)
        guard case .count(let count) = try fetch(request, at: nil) else { return 0 }
        return count
    }
}
