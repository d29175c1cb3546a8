// SPDX-License-Identifier: Apache-2.0

// Requests with bodies in pieces.

import HTTPMessage
import Synchronization

@testable import RESTAPI

extension APIWorld {
    /// Sends a request with bytes, by default as JSON or binary according to the method.
    func send(
        _ method: HTTPMethod,
        _ target: String,
        body: HTTPRequestBody,
        fields: HeaderFields = HeaderFields()
    ) throws -> Answer {
        var fields = fields
        if !fields.contains(.contentType) {
            fields[.contentType] = method == .put ? "application/octet-stream" : "application/json"
        }
        return try answer(to: HTTPRequest(method, target, fields: fields, body: body))
    }

    /// Sends a request whose body breaks off. Returns whether it is refused, or not answered by a server.
    func breakOff(_ method: HTTPMethod, _ target: String, _ body: HTTPRequestBody) -> Bool {
        let answer = try? send(method, target, body: body)
        return Transport.isServer ? answer == nil : answer?.status == 400
    }
}

/// A body whose pieces a closure returns.
final class PiecewiseBody: HTTPBodyReader {
    private let next: @Sendable () throws -> [UInt8]?

    init(_ next: @escaping @Sendable () throws -> [UInt8]?) { self.next = next }

    /// Pieces of a size, and optionally an error after them.
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
