// SPDX-License-Identifier: Apache-2.0

// What requests have in common that must not be answered at the same time.

/// The name of something that requests use one at a time, in the order in which they come, such as a live context.
public struct HTTPLane: Hashable, Sendable {
    public let name: String

    public init(_ name: String) {
        self.name = name
    }
}
