// SPDX-License-Identifier: Apache-2.0

// A client that does other things while it is sent something.

import HTTPMessage
import SQLiteDriver

@testable import RESTAPI

/// Collects what is written, and acts after each piece, with its number.
final class InterferingWriter: HTTPBodyWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var pieces = 0
    private let act: (Int) throws -> Void

    init(_ act: @escaping (Int) throws -> Void) { self.act = act }

    func write(_ bytes: [UInt8]) throws {
        self.bytes += bytes
        pieces += 1
        try act(pieces)
    }
}

extension APIWorld {
    /// Whether another program can write the log of a store back as a whole.
    func emptiesLog(_ path: String) throws -> Bool {
        var options = Connection.Options()
        options.busyTimeout = .zero
        do throws(SQLiteError) {
            _ = try Connection(path: path, options: options).checkpoint(.truncate)
            return true
        } catch {
            guard error.code.primary == .busy else { throw error }
            return false
        }
    }
}
