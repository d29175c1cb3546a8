// SPDX-License-Identifier: Apache-2.0

// Why bytes can't be inflated.

/// The reason why compressed bytes were refused.
public struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, to be compared; messages are for people.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The bytes are not compressed in this format, or damaged.
        public static let damaged = Code(description: "damaged")
        /// The bytes end too early.
        public static let unexpectedEnd = Code(description: "unexpectedEnd")
        /// Inflated, they would be more than is allowed.
        public static let limitExceeded = Code(description: "limitExceeded")
        /// There is no memory to work with.
        public static let outOfMemory = Code(description: "outOfMemory")
    }

    public let code: Code
    /// One sentence in plain English.
    public let message: String
    /// How many of the compressed bytes had been read.
    public let offset: Int

    public var description: String { "byte \(offset): \(message)" }
}

extension CompressionError {
    static func damaged(at offset: Int) -> CompressionError {
        CompressionError(code: .damaged, message: "The compressed bytes are damaged.", offset: offset)
    }

    static func unexpectedEnd(at offset: Int) -> CompressionError {
        CompressionError(code: .unexpectedEnd, message: "The compressed bytes end too early.", offset: offset)
    }

    static func limitExceeded(_ limit: Int, at offset: Int) -> CompressionError {
        CompressionError(
            code: .limitExceeded,
            message: "Inflated, the bytes are more than the \(limit) that are allowed.",
            offset: offset
        )
    }

    static let outOfMemory = CompressionError(
        code: .outOfMemory,
        message: "There is no memory to compress or inflate with.",
        offset: 0
    )
}
