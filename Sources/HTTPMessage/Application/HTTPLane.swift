// SPDX-License-Identifier: Apache-2.0

// Lanes: queues that run one request at a time.

/// The name of a queue of requests that are answered one at a time, in order, such as those of an editing context and
/// its relatives.
public struct HTTPLane: Hashable, Sendable {
    public let name: String

    public init(_ name: String) {
        self.name = name
    }
}
