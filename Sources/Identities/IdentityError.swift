// SPDX-License-Identifier: Apache-2.0

/// A mistake in what identities are configured by: a file of keys, a key of tokens, a limit.
///
/// It is for those who run a server. Requests are refused by a `CredentialRefusal`.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, stable across versions, unlike messages.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A file can't be read.
        package static let unreadable = Code(rawValue: "unreadable")
        /// A file can't be written, or is locked.
        package static let unwritable = Code(rawValue: "unwritable")
        /// A file's content isn't what it should be.
        package static let invalidFile = Code(rawValue: "invalidFile")
        /// A parameter of a new key isn't valid.
        package static let invalidKey = Code(rawValue: "invalidKey")
        /// Another key has the name.
        package static let nameTaken = Code(rawValue: "nameTaken")
        /// No key has the name or ID.
        package static let unknownKey = Code(rawValue: "unknownKey")
        /// Two keys have the name or ID.
        package static let ambiguousKey = Code(rawValue: "ambiguousKey")
        /// A text isn't a limit of requests.
        package static let invalidLimit = Code(rawValue: "invalidLimit")
        /// Keys of tokens may not be fetched from a URL.
        package static let forbiddenURL = Code(rawValue: "forbiddenURL")
        /// Fetching keys of tokens failed.
        package static let unreachable = Code(rawValue: "unreachable")
    }

    package let code: Code
    /// The file, with the line and column if known, or nil.
    package var place: String?
    /// A sentence.
    package let message: String
    /// A sentence that names the remedy, or nil.
    package let hint: String?

    package init(_ code: Code, _ message: String, hint: String? = nil, place: String? = nil) {
        self.code = code
        self.place = place
        self.message = message
        self.hint = hint
    }

    package var description: String {
        (place.map { $0 + ": " } ?? "") + message + (hint.map { " " + $0 } ?? "")
    }
}
