// SPDX-License-Identifier: Apache-2.0

// Version hashes tell whether a store fits a model. They are the project's own: what they cover is what Core Data
// documents, their bytes are not Core Data's.

extension Model {
    /// The hash over what matters to storage of an entity and its ancestors.
    ///
    /// It does not depend on the order of properties, nor on anything that a store holds no trace of: defaults,
    /// validation, indexes, delete rules, class names, user info and renaming identifiers.
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
}
