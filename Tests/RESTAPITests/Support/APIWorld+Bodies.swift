// SPDX-License-Identifier: Apache-2.0

// Requests whose bodies come piece by piece.

import HTTPMessage
import Synchronization

@testable import RESTAPI

extension APIWorld {
    /// Sends a request with bytes.
    func send(
        _ method: HTTPMethod,
        _ target: String,
        body: HTTPRequestBody,
        fields: HeaderFields = HeaderFields()
    ) throws -> Answer {
        try Answer(api.respond(to: HTTPRequest(method, target, fields: fields, body: body)), statements: nil)
    }
}

/// A body that a closure gives piece by piece.
final class PiecewiseBody: HTTPBodyReader {
    private let next: @Sendable () throws -> [UInt8]?

    init(_ next: @escaping @Sendable () throws -> [UInt8]?) { self.next = next }

    /// Pieces of a size, and an error behind them where there is one.
    convenience init(_ bytes: [UInt8], size: Int, breaksOff: Bool = false) {
        let offset = Mutex(0)
        self.init {
            let start = offset.withLock { offset in
                defer { offset += size }
                return offset
            }
            if start < bytes.count { return Array(bytes[start..<min(start + size, bytes.count)]) }
            if breaksOff { throw HTTPRefusal(.badRequest, "The client went away.") }
            return nil
        }
    }

    func read() throws -> [UInt8]? { try next() }
}
