// SPDX-License-Identifier: Apache-2.0

// Errors of compression.

/// The reason why bytes could not be inflated or deflated.
package struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Match this, never the message.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// The bytes are damaged, or not in this format.
        package static let damaged = Code(description: "damaged")
        /// The compressed bytes are truncated.
        package static let unexpectedEnd = Code(description: "unexpectedEnd")
        /// The inflated bytes exceed the limit.
        package static let limitExceeded = Code(description: "limitExceeded")
        package static let outOfMemory = Code(description: "outOfMemory")
    }

    package let code: Code
    /// One sentence in plain English.
    package let message: String
    /// How many of the compressed bytes had been read.
    package let offset: Int

    package var description: String { "byte \(offset): \(message)" }
}

extension CompressionError {
    static func damaged(at offset: Int) -> CompressionError {
        CompressionError(code: .damaged, message: "The compressed bytes are damaged.", offset: offset)
    }

    static func unexpectedEnd(at offset: Int) -> CompressionError {
        CompressionError(code: .unexpectedEnd, message: "The compressed bytes are truncated.", offset: offset)
    }

    static func limitExceeded(_ limit: Int, at offset: Int) -> CompressionError {
        CompressionError(
            code: .limitExceeded,
            message: "The decompressed bytes exceed the limit of \(limit).",
            offset: offset
        )
    }

    static let outOfMemory = CompressionError(
        code: .outOfMemory,
        message: "There isn't enough memory to compress or decompress.",
        offset: 0
    )
}
