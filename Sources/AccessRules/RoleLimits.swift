// SPDX-License-Identifier: Apache-2.0

package import Identities

/// What each identity of a role may ask for at most; nil for no limit. Those that administer have only that of requests.
package struct RoleLimits: Hashable, Sendable {
    package var requests: RateLimit?
    /// How many drafts may be open.
    package var drafts: Int?
    /// How many live queries and other streams of events may be open.
    package var live: Int?
    /// How many rows one answer may have.
    package var rows: Int?
    /// How many bytes a body may have.
    package var bytes: Int?

    package init(
        requests: RateLimit? = nil,
        drafts: Int? = nil,
        live: Int? = nil,
        rows: Int? = nil,
        bytes: Int? = nil
    ) {
        self.requests = requests
        self.drafts = drafts
        self.live = live
        self.rows = rows
        self.bytes = bytes
    }

    /// The larger one of each limit. A role without one leaves that of another.
    func union(_ other: RoleLimits) -> RoleLimits {
        func largest<Limit>(_ limit: (RoleLimits) -> Limit?, _ isSmaller: (Limit, Limit) -> Bool) -> Limit? {
            [limit(self), limit(other)].compactMap(\.self).max(by: isSmaller)
        }
        func size(_ limit: RateLimit) -> (Double, Int) { (Double(limit.requests) / Double(limit.period), limit.burst) }
        return RoleLimits(
            requests: largest(\.requests) { size($0) < size($1) },
            drafts: largest(\.drafts, <),
            live: largest(\.live, <),
            rows: largest(\.rows, <),
            bytes: largest(\.bytes, <)
        )
    }
}
