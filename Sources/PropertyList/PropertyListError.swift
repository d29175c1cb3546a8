// SPDX-License-Identifier: Apache-2.0

// Errors of property lists and keyed archives.

package import SourceText
internal import XML

/// The reason why bytes were refused as a property list or a keyed archive, or why a list can't be written.
package struct PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Match this, never the message.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// The bytes aren't a property list.
        package static let notAPropertyList = Code(description: "notAPropertyList")
        /// A part of the list is malformed.
        package static let damaged = Code(description: "damaged")
        /// A container contains itself.
        package static let loop = Code(description: "loop")
        package static let limitExceeded = Code(description: "limitExceeded")
        /// The list isn't a keyed archive.
        package static let notAnArchive = Code(description: "notAnArchive")
        /// The format can't represent the value.
        package static let unwritable = Code(description: "unwritable")
    }

    package let code: Code
    /// One sentence in plain English.
    package let message: String
    /// The offset of the error in a binary list.
    package var offset: Int?
    /// The position of the error in an XML list.
    package var position: TextPosition?

    /// The message, preceded by the position if known.
    package var description: String {
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
        PropertyListError(code: .loop, message: "The container contains itself.", offset: offset)
    }

    static func tooDeep(_ limit: Int) -> PropertyListError {
        PropertyListError(code: .limitExceeded, message: "Values are nested more than \(limit) levels deep.")
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
