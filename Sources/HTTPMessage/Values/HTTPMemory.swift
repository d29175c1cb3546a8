// SPDX-License-Identifier: Apache-2.0

// The memory that requests share.

/// What the work on a request may take of the memory that all requests share, beside the bytes of its body.
public struct HTTPMemory: Sendable {
    private let take: @Sendable (Int) -> Bool

    /// - Parameter take: Reserves bytes until the request is answered; false where there is no room for them.
    public init(_ take: @escaping @Sendable (Int) -> Bool) { self.take = take }

    /// The memory of requests that no server counts.
    public static let unbounded = HTTPMemory { _ in true }

    /// Reserves bytes until the request is answered; false where there is no room for them at the moment.
    public func reserve(_ bytes: Int) -> Bool { take(bytes) }
}
