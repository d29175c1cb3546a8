// SPDX-License-Identifier: Apache-2.0

/// The developer's keys and values for an entity or a property, in the model's order.
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
