// SPDX-License-Identifier: Apache-2.0

/// The reason why a body can't be read or written further.
package struct HTTPConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, stable across versions, unlike messages.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// The client has disconnected.
        package static let clientGone = Code(description: "clientGone")
        /// A body is longer than announced.
        package static let lengthExceeded = Code(description: "lengthExceeded")
        /// A body is shorter than announced.
        package static let lengthNotReached = Code(description: "lengthNotReached")
    }

    package let code: Code
    /// One sentence in plain English.
    package let message: String

    package var description: String { message }
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
