// SPDX-License-Identifier: Apache-2.0

// The structure of keyed archives: all objects in one list, referring to each other by index.

/// A keyed archive. Objects are resolved on access, so that they may refer to each other in cycles.
///
///     let archive = try KeyedArchive(parsing: bytes)
///     archive.root.object?["NSEntities"]
package struct KeyedArchive: Sendable {
    private static let longestChain = 32

    let objects: [PropertyListValue]
    /// Class names with their ancestors, by the index of the class description.
    let classes: [Int: [String]]
    package let top: PropertyListDictionary

    /// Parses an archive from the bytes of a property list.
    package init(parsing bytes: [UInt8], limits: PropertyListLimits = .default) throws(PropertyListError) {
        try self.init(PropertyListValue(parsing: bytes, limits: limits))
    }

    package init(_ list: PropertyListValue) throws(PropertyListError) {
        guard case .dictionary(let archive) = list, archive["$archiver"]?.string == "NSKeyedArchiver" else {
            throw .notAnArchive("The property list isn't a keyed archive.")
        }
        guard archive["$version"]?.integer() == 100_000 else {
            throw .notAnArchive("The version of the keyed archive is not 100000.")
        }
        guard let objects = archive["$objects"]?.array, let top = archive["$top"]?.dictionary else {
            throw .notAnArchive("The keyed archive has no objects.")
        }
        self.objects = objects
        self.top = top
        var classes: [Int: [String]] = [:]
        for case .dictionary(let object) in objects {
            guard let reference = object["$class"] else { continue }
            guard let place = reference.uid.flatMap(Int.init(exactly:)), objects.indices.contains(place) else {
                throw .notAnArchive("An object of the archive has a class that the archive doesn't contain.")
            }
            if classes[place] == nil { classes[place] = try Self.chain(of: objects[place]) }
        }
        self.classes = classes
    }

    /// The root object.
    package var root: ArchivedValue { self[top: "root"] ?? .null }

    package subscript(top key: String) -> ArchivedValue? { top[key].map(value) }

    private static func chain(of description: PropertyListValue) throws(PropertyListError) -> [String] {
        guard let name = description["$classname"]?.string else {
            throw .notAnArchive("A class of the archive has no name.")
        }
        // Every object has a copy of the chain, so its length is bounded.
        let names = description["$classes"]?.array?.prefix(longestChain).compactMap(\.string) ?? []
        return names.first == name ? names : [name] + names
    }
}
