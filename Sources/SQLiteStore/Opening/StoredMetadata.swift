// SPDX-License-Identifier: Apache-2.0

// A store's metadata: the property list in `Z_METADATA`.

import Basics
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import PropertyList

/// The metadata of a store as they are written. Unknown entries are preserved.
struct StoredMetadata: Hashable, Sendable {
    var list: PropertyListDictionary

    /// Nil for a property list that isn't a dictionary.
    init?(parsing bytes: [UInt8]) throws(PropertyListError) {
        guard let list = try PropertyListValue(parsing: bytes, limits: Self.limits).dictionary else { return nil }
        self.list = list
    }

    /// Limited, since its values can take more memory than the list, in which one object may be referenced often.
    private static let limits = PropertyListLimits(size: 4 << 20)

    /// The metadata of a new store.
    init(_ model: ManagedObjectModel) {
        list = [
            StoreMetadata.typeKey: .string(Self.storeType),
            "NSStoreModelVersionIdentifiers": .array(model.model.versionIdentifiers.map(PropertyListValue.string)),
            "_NSAutoVacuumLevel": "2",
        ]
        recordHashes(of: model)
    }

    mutating func recordHashes(of model: ManagedObjectModel) {
        let hashes = model.model.versionHashes().sorted { $0.key < $1.key }.map { name, hash in
            (name, PropertyListValue.data(hash.bytes))
        }
        list[Self.hashesKey] = .dictionary(PropertyListDictionary(hashes))
    }

    /// Records the model after a migration.
    ///
    /// - Parameter hashesDiffer: Whether Core Data's hashes are those of another version, so that it must not open the
    ///   store with that.
    mutating func replaceModel(by model: ManagedObjectModel, hashesDiffer: Bool) {
        let identifiers = PropertyListValue.array(model.model.versionIdentifiers.map(PropertyListValue.string))
        list["NSStoreModelVersionIdentifiers"] = identifiers
        if hashesDiffer {
            list = PropertyListDictionary(
                list.entries.filter { !$0.key.hasPrefix("NSStoreModelVersionHashes") }.map { ($0.key, $0.value) }
            )
            let count = StoreMetadata(values: values).migrationCount
            list[StoreMetadata.migrationsKey] = .integer(Int128(count + 1))
        }
        recordHashes(of: model)
    }

    var bytes: [UInt8] { PropertyListValue.dictionary(list).binary() }

    static let storeType = "SQLite"
    /// Version hashes computed by Outcrop's rules; Core Data's are under another key.
    static let hashesKey = "OutcropModelVersionHashes"

    /// Whether Core Data has made the store.
    var isOfCoreData: Bool { list["NSPersistenceFrameworkVersion"] != nil }

    /// The names of the entities for which Core Data has stored hashes, or nil.
    var hashedNames: Set<String>? {
        list["NSStoreModelVersionHashes"]?.dictionary.map { Set($0.entries.map(\.key)) }
    }

    /// The hashes of the model that Outcrop last wrote the store with, or nil if only Core Data has written it.
    var versionHashes: [String: [UInt8]]? {
        guard let entries = list[Self.hashesKey]?.dictionary?.entries else { return nil }
        return Dictionary(keepingFirst: entries.compactMap { entry in entry.value.data.map { (entry.key, $0) } })
    }
}

extension StoredMetadata {
    /// The values that users of the store see.
    var values: [String: Value] {
        Dictionary(keepingFirst: list.entries.compactMap { entry in Value(entry.value).map { (entry.key, $0) } })
    }

    /// Replaces the values that users may change.
    mutating func replace(by values: [String: Value]) {
        let known = self.values
        var entries: [(String, PropertyListValue)] = []
        for entry in list.entries {
            if Self.isOwn(entry.key) || known[entry.key] == nil || known[entry.key] == values[entry.key] {
                entries.append((entry.key, entry.value))
            } else if let value = values[entry.key] {
                entries.append((entry.key, PropertyListValue(value)))
            }
        }
        let kept = Set(entries.map(\.0))
        for (key, value) in values.sorted(by: { $0.key < $1.key }) where !kept.contains(key) && !Self.isOwn(key) {
            entries.append((key, PropertyListValue(value)))
        }
        list = PropertyListDictionary(entries)
    }

    /// Keys that belong to the store or its framework.
    private static func isOwn(_ key: String) -> Bool {
        ["NSStore", "NSPersistence", "_NS", "Outcrop"].contains { key.hasPrefix($0) }
    }
}

/// The key of a dictionary that wraps a value which property lists can't express.
private let archivedKey = "OutcropArchivedValue"

extension Value {
    fileprivate init?(_ value: PropertyListValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .boolean(let flag): self = .bool(flag)
        case .integer(let number):
            guard let integer = Int64(exactly: number) else { return nil }
            self = .integer(integer)
        case .real(let number): self = .double(number)
        case .date(let seconds): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let bytes): self = .data(Data(bytes))
        case .uid: return nil
        case .array(let members): self = .array(members.compactMap(Value.init))
        case .dictionary(let members):
            if members.count == 1, let archive = members[archivedKey]?.data {
                self = TransformedValue.value(of: archive)
            } else {
                let pairs = members.entries.compactMap { entry in Value(entry.value).map { (entry.key, $0) } }
                self = .dictionary(Dictionary(keepingFirst: pairs))
            }
        }
    }
}

extension PropertyListValue {
    fileprivate init(_ value: Predicates.Value) {
        switch value {
        case .string(let text): self = .string(text)
        case .bool(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(Int128(number))
        case .double(let number): self = .real(number)
        case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
        case .data(let data): self = .data([UInt8](data))
        case .array(let values): self = .array(values.map(PropertyListValue.init))
        case .dictionary(let values):
            let entries = values.sorted { $0.key < $1.key }.map { ($0.key, PropertyListValue($0.value)) }
            self = .dictionary(PropertyListDictionary(entries))
        case .null, .decimal, .uuid, .uri, .reference:
            self = .dictionary([archivedKey: .data(TransformedValue.bytes(of: value))])
        }
    }
}
