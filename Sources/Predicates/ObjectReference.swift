// SPDX-License-Identifier: Apache-2.0

// How a predicate names an object without knowing anything about object graphs.

/// An object's identity as its URI, for example `x-coredata://5A3F…/Post/p42`.
public struct ObjectReference: Hashable, Sendable, CustomStringConvertible {
    public let uri: String

    public init(uri: String) {
        self.uri = uri
    }

    public var description: String { uri }
}
