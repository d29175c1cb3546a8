// SPDX-License-Identifier: Apache-2.0

/// The identity of an object as a URI, such as `x-coredata://5A3F…/Post/p42`.
public struct ObjectReference: Hashable, Sendable, CustomStringConvertible {
    public let uri: String

    public init(uri: String) {
        self.uri = uri
    }

    public var description: String { uri }
}
