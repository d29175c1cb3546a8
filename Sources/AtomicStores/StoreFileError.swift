// SPDX-License-Identifier: Apache-2.0

// Errors of a store's file.

import Files
import FoundationEssentials
public import ObjectGraph
public import SourceText

/// Why a store's file could not be read or written. The file is unchanged.
public struct StoreFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Codes are stable, and more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file doesn't exist, and is required.
        public static let missing = Code(rawValue: "missing")
        /// The system refused to read or write the file.
        public static let fileSystem = Code(rawValue: "fileSystem")
        /// The disk is full.
        public static let full = Code(rawValue: "full")
        /// The store was opened for reading only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The file isn't a store of this type.
        public static let otherType = Code(rawValue: "otherType")
        /// The file was written with a later version of the format.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The file was written with another version of the model.
        public static let otherModel = Code(rawValue: "otherModel")
        /// The file's content is invalid.
        public static let damaged = Code(rawValue: "damaged")
        /// The file was deleted, moved, replaced or changed by another process while the store was open.
        public static let fileGone = Code(rawValue: "fileGone")
        /// A save into several stores was prepared, and its decision can't be determined.
        public static let undecided = Code(rawValue: "undecided")
        /// The format can't represent the content.
        public static let unwritable = Code(rawValue: "unwritable")
    }

    /// A position in the file.
    public enum Place: Hashable, Sendable {
        case text(TextPosition)
        case offset(Int)
    }

    public let code: Code
    public let message: String
    public var path: String?
    public let place: Place?
    public let hint: String?

    public init(_ code: Code, _ message: String, at place: Place? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint
    }

    /// `path:line:column: message`, or `path:byte offset: message`.
    public var description: String {
        let position: String? =
            switch place {
            case .text(let position): "\(position)"
            case .offset(let offset): "byte \(offset)"
            case nil: nil
            }
        let prefix = [path, position].compactMap(\.self).joined(separator: ":")
        return (prefix.isEmpty ? "" : prefix + ": ") + message + (hint.map { " " + $0 } ?? "")
    }
}

extension StoreFileError: CodedStoreError {
    public var graphCode: GraphError.Code? {
        switch code {
        case .full: .diskFull
        case .fileGone: .storeGone
        case .readOnly: .readOnly
        case .undecided: .undecided
        default: nil
        }
    }
}

extension StoreFileError {
    static func damaged(_ message: String, at place: Place? = nil) -> StoreFileError {
        StoreFileError(.damaged, message, at: place)
    }

    static func missing() -> StoreFileError {
        StoreFileError(.missing, "The store doesn't exist.")
    }

    static func migrated(_ path: String?) -> StoreFileError {
        var error = StoreFileError(.otherModel, "The store was migrated to another version of its model.")
        error.path = path
        return error
    }

    static func readOnly(_ path: String?) -> StoreFileError {
        var error = StoreFileError(.readOnly, "The store was opened read-only.")
        error.path = path
        return error
    }

    /// - Parameter state: The file that is at the path now, or nil.
    static func gone(_ state: OpenFile.State?, known: OpenFile.State?) -> StoreFileError {
        let reason =
            if state == nil {
                "the file was deleted or moved since it was opened"
            } else if let known, state?.isSameFile(as: known) == true {
                "another program has changed the file since it was read"
            } else {
                "the file was replaced since it was opened"
            }
        return StoreFileError(
            .fileGone,
            "Nothing can be saved: \(reason).",
            hint: "Put the file back, or restart this program with the new store."
        )
    }

    static func undecided(_ save: JointSave) -> StoreFileError {
        let place = save.decider.path ?? "without a file"
        return StoreFileError(
            .undecided,
            "A process ended during a save to this store and others. Its outcome is recorded in the store "
                + "\(save.decider.store.uuidString) (\(place)), which can't be read; until it can, nothing is saved to this store.",
            hint: "Put that store back or beside this one, or open both together."
        )
    }

    static func otherType(_ type: String, at place: Place?) -> StoreFileError {
        StoreFileError(.otherType, "The file isn't a store of the type \(type).", at: place)
    }

    static func newerFormat(_ version: String, known: Int, at place: Place?) -> StoreFileError {
        StoreFileError(
            .newerFormat,
            "The file has version \(version) of its format; the latest supported one is \(known).",
            at: place
        )
    }

    static func otherModel(_ entities: [String]) -> StoreFileError {
        let names = entities.prefix(10).joined(separator: ", ") + (entities.count > 10 ? " and more" : "")
        return StoreFileError(
            .otherModel,
            "The file was written with another version of the model; it differs in \(names).",
            hint: "Open it with the model that it was written with, or migrate it."
        )
    }

    static func tooDeep(limit: Int, at place: Place? = nil) -> StoreFileError {
        StoreFileError(
            place == nil ? .unwritable : .damaged,
            "A value is nested more than \(limit) levels deep.",
            at: place
        )
    }

    static func notWritten(_ error: FileError) -> StoreFileError {
        error.code == .full
            ? StoreFileError(
                .full,
                "The disk is full; nothing was written.",
                hint: "Free space, then try again."
            )
            : .fileSystem("written", error.reason)
    }

    static func fileSystem(_ action: String, _ reason: String) -> StoreFileError {
        StoreFileError(.fileSystem, "The file can't be \(action): \(reason).")
    }
}
