// SPDX-License-Identifier: Apache-2.0

// What is wrong with a property list, and where.

public import SourceText
internal import XML

/// The reason why bytes were refused as a property list or as a keyed archive, or why one can't be written.
public struct PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, to be compared; messages are for people.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The bytes are no property list at all.
        public static let notAPropertyList = Code(description: "notAPropertyList")
        /// Something in it can't be read.
        public static let damaged = Code(description: "damaged")
        /// A container holds itself.
        public static let loop = Code(description: "loop")
        public static let limitExceeded = Code(description: "limitExceeded")
        /// It can be read, but is no keyed archive.
        public static let notAnArchive = Code(description: "notAnArchive")
        /// The form has no way to write the value.
        public static let unwritable = Code(description: "unwritable")
    }

    public let code: Code
    /// One sentence in plain English.
    public let message: String
    /// Which byte of a binary list is meant.
    public var offset: Int?
    /// Where in the text of an XML list.
    public var position: TextPosition?

    /// The message, with the place before it where there is one.
    public var description: String {
        if let offset { return "byte \(offset): \(message)" }
        return position.map { "\($0): \(message)" } ?? message
    }
}

extension PropertyListError {
    static let notAPropertyList = PropertyListError(
        code: .notAPropertyList,
        message: "The bytes are neither a binary property list nor one in XML."
    )

    static func damaged(_ message: String, at offset: Int) -> PropertyListError {
        PropertyListError(code: .damaged, message: message, offset: offset)
    }

    static func damaged(_ message: String, at position: TextPosition?) -> PropertyListError {
        PropertyListError(code: .damaged, message: message, position: position)
    }

    static func loop(at offset: Int) -> PropertyListError {
        PropertyListError(code: .loop, message: "The container holds itself.", offset: offset)
    }

    static func tooDeep(_ limit: Int) -> PropertyListError {
        PropertyListError(code: .limitExceeded, message: "Values are nested more than \(limit) deep.")
    }

    static func tooLarge(_ limit: Int) -> PropertyListError {
        PropertyListError(code: .limitExceeded, message: "The list has more than \(limit) values.")
    }

    static func notAnArchive(_ message: String) -> PropertyListError {
        PropertyListError(code: .notAnArchive, message: message)
    }

    static func unwritable(_ message: String) -> PropertyListError {
        PropertyListError(code: .unwritable, message: message)
    }

    init(_ error: XMLError) {
        let code: Code =
            switch error.code {
            case .limitExceeded: .limitExceeded
            case .unwritable,
                .forbiddenCharacter where error.position == nil:
                .unwritable
            default: .damaged
            }
        self.init(code: code, message: error.message, position: error.position)
    }

    func placed(at offset: Int) -> PropertyListError {
        var error = self
        error.offset = error.offset ?? offset
        return error
    }
}
