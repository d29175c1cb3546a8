// SPDX-License-Identifier: Apache-2.0

// The entries of a dictionary, in order and with lookup by key.

/// A dictionary with distinct keys. Two are equal if they have equal entries in the same order.
public struct PropertyListDictionary: Sendable {
    public struct Entry: Hashable, Sendable {
        public let key: String
        public var value: PropertyListValue

        public init(key: String, value: PropertyListValue) {
            self.key = key
            self.value = value
        }
    }

    public private(set) var entries: [Entry] = []
    /// The index of each key in `entries`; nil while a linear search is fast enough.
    private var offsets: [String: Int]?
    private static let few = 16

    public init() {}

    /// Entries in order. Of entries with the same key, the last value is used at the position of the first.
    public init(_ entries: some Sequence<(String, PropertyListValue)>) {
        self.entries.reserveCapacity(entries.underestimatedCount)
        for (key, value) in entries { self[key] = value }
    }

    public var count: Int { entries.count }
    public var isEmpty: Bool { entries.isEmpty }
    public var keys: [String] { entries.map(\.key) }

    /// The value of a key. Setting replaces it in place or appends it; nil removes it.
    public subscript(_ key: String) -> PropertyListValue? {
        get { offset(of: key).map { entries[$0].value } }
        set {
            switch (offset(of: key), newValue) {
            case (let offset?, let value?): entries[offset].value = value
            case (let offset?, nil): remove(at: offset)
            case (nil, let value?): append(Entry(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    private func offset(of key: String) -> Int? {
        if let offsets { return offsets[key] }
        return entries.firstIndex { $0.key == key }
    }

    private mutating func append(_ entry: Entry) {
        entries.append(entry)
        if offsets != nil {
            offsets?[entry.key] = entries.count - 1
        } else if entries.count > Self.few {
            indexKeys()
        }
    }

    private mutating func remove(at offset: Int) {
        entries.remove(at: offset)
        if offsets != nil { indexKeys() }
    }

    private mutating func indexKeys() {
        var offsets: [String: Int] = [:]
        for (offset, entry) in entries.enumerated() { offsets[entry.key] = offset }
        self.offsets = offsets
    }
}

extension PropertyListDictionary: Hashable {
    public static func == (one: PropertyListDictionary, other: PropertyListDictionary) -> Bool {
        one.entries == other.entries
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension PropertyListDictionary: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) { self.init(elements) }
}
