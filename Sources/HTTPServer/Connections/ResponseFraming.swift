// SPDX-License-Identifier: Apache-2.0

// The framing of responses.

import HTTPMessage

extension HTTPResponse {
    /// Whether a body is sent in response to a method.
    func hasBody(_ method: HTTPMethod) -> Bool {
        if case .none = body { return false }
        return !status.isBodiless && method != .head
    }

    /// The framing for the body and the client's HTTP version.
    func framing(_ method: HTTPMethod, minorVersion: Int) -> Framing {
        guard !status.isBodiless else { return .none }
        switch body {
        case .none:
            // A response to HEAD may state the length of a body that isn't produced.
            let told = method == .head ? fields[.contentLength].flatMap { Int($0) } : nil
            return .length(max(0, told ?? 0))
        case .bytes(let bytes): return .length(bytes.count)
        case .stream(let length?, _): return .length(max(0, length))
        case .stream, .feed: return minorVersion > 0 ? .chunked : .untilClose
        }
    }
}
