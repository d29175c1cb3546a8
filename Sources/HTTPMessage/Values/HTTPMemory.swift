// SPDX-License-Identifier: Apache-2.0

// The memory that requests share.

/// Reserves memory shared by all requests, in addition to the bytes of a request's body.
public struct HTTPMemory: Sendable {
    private let reserveBytes: @Sendable (Int) -> Bool

    /// - Parameter reserveBytes: Reserves bytes until the request is answered; false if there is no room for them.
    public init(_ reserveBytes: @escaping @Sendable (Int) -> Bool) { self.reserveBytes = reserveBytes }

    /// Unlimited memory, for requests outside a server.
    public static let unbounded = HTTPMemory { _ in true }

    /// Reserves bytes until the request is answered; false if there is currently no room for them.
    public func reserve(_ bytes: Int) -> Bool { reserveBytes(bytes) }
}
