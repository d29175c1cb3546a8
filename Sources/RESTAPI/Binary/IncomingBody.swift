// SPDX-License-Identifier: Apache-2.0

// The body of a request within a plan, read on execution.

import HTTPMessage
import JSON

/// The body of a request, equal only to itself.
final class IncomingBody: Equatable, Sendable {
    private let body: HTTPRequestBody
    private let limit: Int?

    /// - Parameter limit: How many bytes it may have; nil for any number.
    init(_ body: HTTPRequestBody, limit: Int? = nil) {
        self.body = body
        self.limit = limit
    }

    /// Returns a closure that reads the body once: the next bytes, or nil at the end.
    func pieces() -> () throws -> [UInt8]? {
        switch body {
        case .none: return { nil }
        case .bytes(let bytes):
            var rest: [UInt8]? = bytes
            return {
                defer { rest = nil }
                return rest
            }
        case .stream(let reader):
            var count = 0
            return { [limit] in
                let piece: [UInt8]?
                do {
                    piece = try reader.read()
                } catch {
                    throw Problem(.malformed, "The request body is incomplete.")
                }
                count += piece?.count ?? 0
                if let limit, count > limit { throw Problem.tooLong(limit: limit) }
                return piece
            }
        }
    }

    static func == (one: IncomingBody, other: IncomingBody) -> Bool { one === other }
}

extension Problem {
    /// A body that is larger than the identity may send.
    static func tooLong(limit: Int) -> Problem {
        var problem = Problem(
            .tooLarge,
            "The body has more than \(limit) bytes, which is the limit of the identity's roles.",
            hint: "Send less at once."
        )
        problem.extras["limit"] = "bytes"
        return problem
    }
}
