// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage

/// Whether a request is within its limit, and what is left of it.
package struct RateDecision: Hashable, Sendable {
    package let isAllowed: Bool
    /// For `Retry-After`; nil if the request is allowed, otherwise at least 1.
    package let secondsUntilAllowed: Int?
    /// How many further requests are allowed at once.
    package let remaining: Int
    package let secondsUntilFull: Int
    package let limit: RateLimit

    /// Adds the fields `RateLimit-Policy`, `RateLimit` and, for a refused request, `Retry-After`.
    ///
    /// - Parameter policy: The name of the limit. Characters that it can't have are left out.
    package func add(to fields: inout HeaderFields, policy: String = "default") {
        let name = String(
            decoding: policy.utf8.filter { $0 >= 0x20 && $0 < 0x7F && !"\"\\".utf8.contains($0) },
            as: UTF8.self
        )
        fields["RateLimit-Policy"] = "\"\(name)\";q=\(limit.requests);w=\(limit.period)"
        fields["RateLimit"] = "\"\(name)\";r=\(remaining);t=\(secondsUntilFull)"
        if let secondsUntilAllowed { fields[.retryAfter] = "\(secondsUntilAllowed)" }
    }
}
