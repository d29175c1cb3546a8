// SPDX-License-Identifier: Apache-2.0

// The memory that requests share.

/// Reserves memory shared by all requests, in addition to the bytes of a request's body.
public struct HTTPMemory: Sendable {
    private let take: @Sendable (Int) -> Bool

    /// - Parameter take: Reserves bytes until the request is answered; false if there is no room for them.
    public init(_ take: @escaping @Sendable (Int) -> Bool) { self.take = take }

    /// Unlimited memory, for requests outside a server.
    public static let unbounded = HTTPMemory { _ in true }

    /// Reserves bytes until the request is answered; false if there is currently no room for them.
    public func reserve(_ bytes: Int) -> Bool { take(bytes) }
}
