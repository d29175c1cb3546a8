// SPDX-License-Identifier: Apache-2.0

// What befalls those who read or write bodies.

/// Why a body can't be read or written any further.
public struct HTTPConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, to be compared; messages are for people.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// Nobody is there any more.
        public static let clientGone = Code(description: "clientGone")
        /// An answer was to be longer than it was said to be.
        public static let lengthExceeded = Code(description: "lengthExceeded")
        /// An answer ended before its length.
        public static let lengthNotReached = Code(description: "lengthNotReached")
    }

    public let code: Code
    /// One sentence in plain English.
    public let message: String

    public var description: String { message }
}

extension HTTPConnectionError {
    static let clientGone = HTTPConnectionError(code: .clientGone, message: "The client has gone.")

    static func lengthExceeded(_ length: Int) -> HTTPConnectionError {
        HTTPConnectionError(
            code: .lengthExceeded,
            message: "The answer is longer than the \(length) bytes that were announced."
        )
    }

    static func lengthNotReached(_ length: Int, _ count: Int) -> HTTPConnectionError {
        HTTPConnectionError(
            code: .lengthNotReached,
            message: "The answer ends after \(count) of the \(length) bytes that were announced."
        )
    }
}
