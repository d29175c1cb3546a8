// SPDX-License-Identifier: Apache-2.0

// What a model's author notes down beside an entity or a property.

/// Keys and values in the order in which the model has them.
public struct UserInfo: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public struct Entry: Hashable, Sendable {
        public var key: String
        public var value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        entries = elements.map(Entry.init)
    }

    public var isEmpty: Bool { entries.isEmpty }

    public subscript(key: String) -> String? {
        entries.first { $0.key == key }?.value
    }
}
