// SPDX-License-Identifier: Apache-2.0

// How the end of an answer is known.

import HTTPMessage

extension HTTPResponse {
    /// Whether a body is sent, for a method.
    func hasBody(_ method: HTTPMethod) -> Bool {
        if case .none = body { return false }
        return !status.isBodiless && method != .head
    }

    /// The framing that suits the body and the version of the client's HTTP.
    func framing(_ method: HTTPMethod, minorVersion: Int) -> Framing {
        guard !status.isBodiless else { return .none }
        switch body {
        case .none:
            // What HEAD is answered may tell the length of a body that was never made.
            let told = method == .head ? fields[.contentLength].flatMap { Int($0) } : nil
            return .length(max(0, told ?? 0))
        case .bytes(let bytes): return .length(bytes.count)
        case .stream(let length?, _): return .length(max(0, length))
        case .stream, .feed: return minorVersion > 0 ? .chunked : .untilClose
        }
    }
}
