// SPDX-License-Identifier: Apache-2.0

// The entries of a dictionary, in order and with lookup by key.

/// A dictionary with distinct keys. Two are equal if they have equal entries in the same order.
package struct PropertyListDictionary: Sendable {
    package struct Entry: Hashable, Sendable {
        package let key: String
        package var value: PropertyListValue

        package init(key: String, value: PropertyListValue) {
            self.key = key
            self.value = value
        }
    }

    package private(set) var entries: [Entry] = []
    /// The index of each key in `entries`; nil while a linear search is fast enough.
    private var offsets: [String: Int]?
    private static let few = 16

    package init() {}

    /// Entries in order. Of entries with the same key, the last value is used at the position of the first.
    package init(_ entries: some Sequence<(String, PropertyListValue)>) {
        self.entries.reserveCapacity(entries.underestimatedCount)
        for (key, value) in entries { self[key] = value }
    }

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }
    package var keys: [String] { entries.map(\.key) }

    /// The value of a key. Setting replaces it in place or appends it; nil removes it.
    package subscript(_ key: String) -> PropertyListValue? {
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
    package static func == (one: PropertyListDictionary, other: PropertyListDictionary) -> Bool {
        one.entries == other.entries
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension PropertyListDictionary: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, PropertyListValue)...) { self.init(elements) }
}
