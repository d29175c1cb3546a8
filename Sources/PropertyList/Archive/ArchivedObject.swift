// SPDX-License-Identifier: Apache-2.0

// Objects of an archive with a class that has no value of its own.

/// An archived object: its class and its values by key.
package struct ArchivedObject: Sendable {
    let archive: KeyedArchive
    let contents: PropertyListDictionary
    /// The index of the object in the archive, which distinguishes it from others with the same contents.
    package let place: Int
    /// The class and its ancestors, nearest first.
    package let classChain: [String]

    package var className: String { classChain[0] }

    package func isKind(of className: String) -> Bool { classChain.contains(className) }

    /// The keys, in the order of the archive.
    package var keys: [String] { contents.keys.filter { $0 != "$class" } }

    /// The value of a key, or nil if the key is missing.
    package subscript(_ key: String) -> ArchivedValue? { contents[key].map(archive.value) }
}
