// SPDX-License-Identifier: Apache-2.0

// The errors of a SQLite store.

import Files
public import ObjectGraph
import Predicates
public import SQLiteDriver

/// Why a store couldn't be opened, read or written.
public struct StoreError: Error, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is no file, or it can't be opened.
        public static let notFound = Code(rawValue: "notFound")
        /// A file that was to be created exists.
        public static let exists = Code(rawValue: "exists")
        /// The file isn't a store with Core Data's layout.
        public static let notAStore = Code(rawValue: "notAStore")
        /// The store was to be opened with the model that it carries, but carries none that can be read.
        public static let noModel = Code(rawValue: "noModel")
        /// The store was written with another model.
        public static let otherModel = Code(rawValue: "otherModel")
        /// The content of the file is damaged or incomplete.
        public static let damaged = Code(rawValue: "damaged")
        /// There are no keys for new objects: the recorded greatest key is damaged or has the greatest possible value.
        public static let noKeys = Code(rawValue: "noKeys")
        /// The file or the store is read-only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// Another process has locked the file.
        public static let locked = Code(rawValue: "locked")
        /// The store was busy for too long.
        public static let busy = Code(rawValue: "busy")
        /// The disk is full.
        public static let full = Code(rawValue: "full")
        /// The disk failed to read or write.
        public static let disk = Code(rawValue: "disk")
        /// The file was deleted, moved or replaced while it was open.
        public static let fileGone = Code(rawValue: "fileGone")
        /// There was not enough memory.
        public static let noMemory = Code(rawValue: "noMemory")
        /// The work exceeded its time limit or was cancelled.
        public static let interrupted = Code(rawValue: "interrupted")
        /// A fetch would evaluate too many objects in memory.
        public static let tooExpensive = Code(rawValue: "tooExpensive")
        /// A value doesn't have its attribute's type.
        public static let unsupportedValue = Code(rawValue: "unsupportedValue")
        /// An object belongs to another store.
        public static let foreignObject = Code(rawValue: "foreignObject")
        /// The file of a large value is missing.
        public static let missingFile = Code(rawValue: "missingFile")
        /// The system refused to read or write the file of a large value, for another reason.
        public static let fileSystem = Code(rawValue: "fileSystem")
        /// A save into several stores was prepared, and its result can't be found out or applied.
        public static let undecided = Code(rawValue: "undecided")
        /// The history doesn't have what is needed.
        public static let noHistory = Code(rawValue: "noHistory")
        /// SQLite failed for another reason.
        public static let database = Code(rawValue: "database")
    }

    public let code: Code
    public let message: String
    /// A remedy, if there is one.
    public var hint: String?
    /// The path of the file.
    public var path: String?
    /// The error that SQLite returned.
    public var underlying: SQLiteError?

    public init(_ code: Code, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        [path.map { "\($0): \(message)" } ?? message, hint].compactMap(\.self).joined(separator: " ")
    }
}

extension StoreError: CodedStoreError {
    public var graphCode: GraphError.Code? {
        switch code {
        case .full: .diskFull
        case .fileGone: .storeGone
        case .tooExpensive: .tooExpensive
        case .readOnly: .readOnly
        case .undecided: .undecided
        case .locked: .locked
        case .busy: .busy
        case .noKeys: .noKeys
        default: nil
        }
    }
}

extension StoreError {
    static func lacksTable(_ table: String, of entity: EntityDescription) -> StoreError {
        otherModel("the table \(table) of \(entity.name) doesn't exist.")
    }

    static func lacksColumn(_ column: String, _ table: String) -> StoreError {
        otherModel("the table \(table) has no column \(column).")
    }

    static func lacksPairs(_ name: String, _ other: String, _ relationship: RelationshipDescription) -> StoreError {
        otherModel("neither the table \(name) nor \(other) of “\(relationship.name)” exists.")
    }

    static func foreignPairs(_ table: String) -> StoreError {
        otherModel("the table \(table) doesn't have the columns of a table of pairs.")
    }

    /// - Parameter names: Columns and tables of the file that belong to nothing in the model.
    static func unexplained(_ names: [String]) -> StoreError {
        let rest = names.count > 5 ? " and \(names.count - 5) more" : ""
        return otherModel(
            "the file has \(names.prefix(5).joined(separator: ", "))\(rest), which this model doesn't have."
        )
    }

    private static func otherModel(_ reason: String) -> StoreError {
        StoreError(
            .otherModel,
            "The store was written with another model: \(reason)",
            hint: "Open it with the model that it was written with, or without one if it carries its own."
        )
    }
}

extension StoreError {
    static func readOnly(_ path: String) -> StoreError {
        var error = StoreError(.readOnly, "The store was opened read-only.")
        error.path = path
        return error
    }

    static func keptElsewhere(_ entity: EntityDescription) -> StoreError {
        StoreError(.foreignObject, "The store doesn't store \(entity.name).")
    }

    static func foreignObject(_ objectID: ManagedObjectID) -> StoreError {
        StoreError(.foreignObject, "\(objectID) isn't an object of this store.")
    }

    static func noKeys(_ root: Int64) -> StoreError {
        StoreError(
            .noKeys,
            "The greatest key of the entity \(root) in Z_PRIMARYKEY leaves no keys for new objects.",
            hint: "`outcrop store check --repair` repairs it."
        )
    }

    /// A new row was given a key that is in use.
    static func takenKey(_ root: Int64) -> StoreError {
        StoreError(
            .noKeys,
            "The entity \(root) has rows with keys above the greatest one in Z_PRIMARYKEY.",
            hint: "`outcrop store check --repair` repairs it."
        )
    }
}

extension StoreError {
    /// An error of SQLite or of the store, with the path of the file.
    static func wrapping(_ error: any Error, _ path: String) -> any Error {
        if var error = error as? StoreError {
            error.path = error.path ?? path
            return error
        }
        // Evaluation fails in the same way in SQL and in memory.
        if let evaluation = (error as? SQLiteError)?.thrown?.error as? EvaluationError { return evaluation }
        let wrapped: StoreError? =
            switch error {
            case let error as SQLiteError: StoreError(error)
            case let error as FileError: StoreError(error)
            default: nil
            }
        guard var wrapped else { return error }
        wrapped.path = path
        return wrapped
    }

    private init(_ error: FileError) {
        switch error.code {
        case .full: self = .noRoom
        case .readOnly, .denied:
            self.init(.readOnly, "\(error.path) can't be written: \(error.reason).")
        default: self.init(.fileSystem, "\(error.path) can't be read or written: \(error.reason).")
        }
    }

    private static let noRoom = StoreError(
        .full,
        "The disk is full; nothing was written.",
        hint: "Free space, then try again."
    )

    private init(_ error: SQLiteError) {
        switch error.code.primary {
        case _ where error == .noReaderInTime || error == .noWriterInTime:
            self.init(.busy, "The store is busy.", hint: "Try again later.")
        case .busy, .locked, .lockingProtocol:
            self.init(
                .locked,
                "Another program has locked the store.",
                hint: "Try again when it has released the lock."
            )
        case .full: self = .noRoom
        case .readOnly where error.code == .readOnlyRollback:
            self.init(
                .readOnly,
                "An interrupted write must be rolled back first, but the file is opened read-only.",
                hint: "Open it once for writing."
            )
        case .readOnly where error.code == .readOnlyMoved:
            self.init(
                .fileGone,
                "Nothing can be saved: \(error.message).",
                hint: "Put the file back, or restart this program with the new store."
            )
        case .readOnly, .permission:
            self.init(
                .readOnly,
                "The file can't be written.",
                hint: "Give this program's user permission to write the file and its folder, or open it read-only."
            )
        case .ioError:
            self.init(
                .disk,
                "The disk failed: \(error.message) (SQLite \(error.extendedCode)).",
                hint: "Nothing was changed. Check the disk, then try again."
            )
        case .noMemory:
            self.init(.noMemory, "There wasn't enough memory; nothing was written.", hint: "Try again later.")
        case .corrupt: self.init(.damaged, "The file is damaged.", hint: "`outcrop store check` finds the damage.")
        case .notADatabase: self.init(.notAStore, "The file isn't a SQLite database.")
        case .cantOpen:
            self.init(
                .notFound,
                "The file or its log can't be opened.",
                hint: "Make sure that its folder exists, and that this program's user may read and write it."
            )
        case .interrupted: self.init(.interrupted, "The time limit was exceeded, or the work was cancelled.")
        default: self.init(.database, error.message)
        }
        underlying = error
    }
}
