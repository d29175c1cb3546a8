// SPDX-License-Identifier: Apache-2.0

// The body of a request within a plan, read on execution.

import HTTPMessage

/// The body of a request, equal only to itself.
final class IncomingBody: Equatable, Sendable {
    private let body: HTTPRequestBody

    init(_ body: HTTPRequestBody) { self.body = body }

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
            return {
                do {
                    return try reader.read()
                } catch {
                    throw Problem(.malformed, "The request body is incomplete.")
                }
            }
        }
    }

    static func == (one: IncomingBody, other: IncomingBody) -> Bool { one === other }
}
