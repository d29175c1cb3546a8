// SPDX-License-Identifier: Apache-2.0

// A webhook as it is configured.

package import ObjectGraph

/// What is sent, where, and when a delivery is given up.
package struct Hook: Hashable, Sendable {
    /// Identifies the hook's position in the history, its deliveries and its files.
    package let name: String
    package let url: HookURL
    /// The names of the entities in the API; nil for all.
    package var entities: [String]?
    /// Nil for all.
    package var kinds: Set<HistoryChange.Kind>?
    /// A condition for inserted and updated objects, as they are when a delivery is made.
    package var predicate: String?
    /// The key of the signatures.
    package var secret: [UInt8]
    package var limits = HookLimits()

    package init(name: String, url: HookURL, secret: [UInt8]) {
        self.name = name
        self.url = url
        self.secret = secret
    }

    /// The name of the consumer that has the hook's position.
    var consumer: String { Self.consumer(ofHook: name) }

    static func consumer(ofHook name: String) -> String { consumerPrefix + name }

    static let consumerPrefix = "hook:"

    /// Whether a text can be a hook's name, which is also a file's.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
