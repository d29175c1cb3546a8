// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The reason why a store couldn't be opened, read or written. The engine reports it as the underlying error.
public struct NoteStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The store doesn't exist and can't be created, since it is read-only.
        case missing
        /// The store is read-only.
        case readOnly
        /// An interrupted save must be completed, but the store is read-only.
        case unfinished
        /// A file has invalid contents.
        case damaged
        /// A file can't be read or written.
        case fileSystem
        /// The value can't be encoded.
        case unwritable
    }

    public let code: Code
    public let message: String
    public var path: String?

    init(_ code: Code, _ message: String, _ path: String? = nil) {
        self.code = code
        self.message = message
        self.path = path
    }

    public var description: String { (path.map { $0 + ": " } ?? "") + message }

    /// Runs a closure and adds a path to its errors.
    static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as NoteStoreError {
            error.path = error.path ?? path
            throw error
        } catch let error as DecodingError {
            throw NoteStoreError(.damaged, "The file doesn't have the expected JSON. \(error.reason)", path)
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
    /// Writes deterministic, indented text, suitable for version control.
    func write(to path: String, options: Data.WritingOptions = []) throws {
        try NoteStoreError.naming(path) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(self).write(to: URL(filePath: path), options: options)
        }
    }
}
