// SPDX-License-Identifier: Apache-2.0

/// The reason why a body can't be read or written further.
public struct HTTPConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, stable across versions, unlike messages.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The client has disconnected.
        public static let clientGone = Code(description: "clientGone")
        /// A body is longer than announced.
        public static let lengthExceeded = Code(description: "lengthExceeded")
        /// A body is shorter than announced.
        public static let lengthNotReached = Code(description: "lengthNotReached")
    }

    public let code: Code
    /// One sentence in plain English.
    public let message: String

    public var description: String { message }
}

extension HTTPConnectionError {
    static let clientGone = HTTPConnectionError(code: .clientGone, message: "The client has disconnected.")

    static func lengthExceeded(_ length: Int) -> HTTPConnectionError {
        HTTPConnectionError(
            code: .lengthExceeded,
            message: "The answer is longer than its announced \(length) bytes."
        )
    }

    static func lengthNotReached(_ length: Int, _ count: Int) -> HTTPConnectionError {
        HTTPConnectionError(
            code: .lengthNotReached,
            message: "The answer ends after \(count) of its announced \(length) bytes."
        )
    }
}
