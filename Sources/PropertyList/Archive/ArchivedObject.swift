// SPDX-License-Identifier: Apache-2.0

// An object of an archive whose class means nothing to the archive itself.

/// An archived object: its class, and what it holds by key.
public struct ArchivedObject: Sendable {
    let archive: KeyedArchive
    let contents: PropertyListDictionary
    /// Where it stands in the archive, which tells it from others with the same contents.
    public let place: Int
    /// Its class, and the ancestors of that, nearest first.
    public let classChain: [String]

    public var className: String { classChain[0] }

    public func isKind(of className: String) -> Bool { classChain.contains(className) }

    /// What it has keys for, in the order of the archive.
    public var keys: [String] { contents.keys.filter { $0 != "$class" } }

    /// What it holds for a key; nil if it doesn't have the key at all.
    public subscript(_ key: String) -> ArchivedValue? { contents[key].map(archive.value) }
}
