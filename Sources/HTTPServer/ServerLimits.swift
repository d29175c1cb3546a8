// SPDX-License-Identifier: Apache-2.0

// What a server bears from its clients.

/// Limits, each with a reason. What passes one is refused with an answer that names it.
public struct ServerLimits: Hashable, Sendable {
    /// The bytes of a request line, so that nobody fills memory with a target that never ends.
    public var requestLine = 16 * 1024

    public init() {}
}
