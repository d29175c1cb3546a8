// SPDX-License-Identifier: Apache-2.0

// Version hashes decide whether a store is compatible with a model. They cover what Core Data documents, but their
// bytes are the project's own.

extension Model {
    /// The hash over everything about an entity and its ancestors that affects storage.
    ///
    /// It doesn't depend on the order of properties, nor on defaults, validation, indexes, delete rules, class names,
    /// user info and renaming identifiers.
    public func versionHash(of entity: Entity) -> VersionHash {
        var hasher = VersionHasher(self)
        return hasher.hash(of: entity)
    }

    /// The hashes of all entities by name.
    public func versionHashes() -> [String: VersionHash] {
        var hasher = VersionHasher(self)
        var hashes: [String: VersionHash] = [:]
        for entity in entities where hashes[entity.name] == nil {
            hashes[entity.name] = hasher.hash(of: entity)
        }
        return hashes
    }

    /// The hash over the hashes of all entities, in the binary order of their names.
    public var versionChecksum: VersionHash {
        let hashes = versionHashes()
        return VersionHash(digestOf: hashes.keys.inBinaryOrder().flatMap { hashes[$0]!.bytes })
    }

    /// The beginning of the checksum, which names the version in the API.
    package var versionName: String { String(versionChecksum.hex.prefix(16)) }
}
