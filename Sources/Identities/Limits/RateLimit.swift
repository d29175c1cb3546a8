// SPDX-License-Identifier: Apache-2.0

import SourceText

/// How many requests are allowed in a time: `100/1s`, `5000/1m`, `10000/1h`.
package struct RateLimit: Hashable, Sendable, CustomStringConvertible {
    package let requests: Int
    /// In seconds.
    package let period: Int
    /// How many requests may come at once after a rest.
    package let burst: Int

    private static let units = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    private static let longestPeriod = 86_400
    private static let maximum = 1_000_000_000

    /// Reads a limit.
    ///
    /// - Parameter burst: By default as many as in one period.
    package init(_ text: String, burst: Int? = nil) throws(IdentityError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let requests = Self.number(parts[0]), let unit = parts[1].last,
            let factor = Self.units[String(unit)], let count = Self.number(parts[1].dropLast())
        else {
            throw Self.invalid("“\(text.printable())” isn't a limit of requests.")
        }
        guard (1...Self.maximum).contains(requests), count >= 1, count <= Self.longestPeriod / factor else {
            throw Self.invalid("“\(text.printable())” has no request, or a time outside 1 s to 1 day.")
        }
        guard (1...Self.maximum).contains(burst ?? requests) else {
            throw IdentityError(.invalidLimit, "A burst must be of 1 request or more.")
        }
        self.requests = requests
        period = count * factor
        self.burst = burst ?? requests
    }

    package var description: String {
        if period % 3_600 == 0 { return "\(requests)/\(period / 3_600)h" }
        return period % 60 == 0 ? "\(requests)/\(period / 60)m" : "\(requests)/\(period)s"
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.count <= 10, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }

    private static func invalid(_ message: String) -> IdentityError {
        IdentityError(.invalidLimit, message, hint: "Write requests per time, such as 100/1s, 5000/1m or 10000/1h.")
    }
}
