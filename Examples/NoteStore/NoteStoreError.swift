// SPDX-License-Identifier: Apache-2.0

// What can go wrong with the folder.

import FoundationEssentials

/// Why a store could not be opened, read or written. The engine hands it on as what is below its own error.
public struct NoteStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// There is no store, and a read-only one had to be there.
        case missing
        /// The store was opened for reading alone.
        case readOnly
        /// A save has to be finished first, and the store was opened for reading alone.
        case unfinished
        /// A file doesn't say what it must.
        case damaged
        /// The system didn't let a file be read or written.
        case fileSystem
        /// The value can't be written.
        case unwritable
    }

    public let code: Code
    public let message: String
    public var path: String?

    init(_ code: Code, _ message: String, _ path: String? = nil) {
        (self.code, self.message, self.path) = (code, message, path)
    }

    public var description: String { (path.map { $0 + ": " } ?? "") + message }

    /// Runs a closure, and says of its errors which file they are about.
    static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as NoteStoreError {
            error.path = error.path ?? path
            throw error
        } catch let error as DecodingError {
            throw NoteStoreError(.damaged, "This is no JSON of the right form. \(error.reason)", path)
        } catch {
            throw NoteStoreError(.fileSystem, "The file can't be read or written: \(error)", path)
        }
    }
}

extension DecodingError {
    fileprivate var reason: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            (context.codingPath.map(\.stringValue) + [context.debugDescription]).joined(separator: ": ")
        @unknown default: "\(self)"
        }
    }
}

extension Decodable {
    static func read(_ path: String) throws -> Self {
        try NoteStoreError.naming(path) {
            try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
        }
    }
}

extension Encodable {
    /// Writes the same text for the same content, in lines, so that the folder can be kept under version control.
    func write(to path: String, options: Data.WritingOptions = []) throws {
        try NoteStoreError.naming(path) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(self).write(to: URL(filePath: path), options: options)
        }
    }
}
