// SPDX-License-Identifier: Apache-2.0

// The limits of reading a request.

/// The limits of a reader, in bytes unless stated otherwise. A request that exceeds one is refused with its name.
public struct HTTPReadLimits: Hashable, Sendable {
    /// The request line with its line end. Bounds the memory for an endless target; long queries belong into a body.
    public var requestLine: Int
    /// One field with its line end, so that one field can't use up the limit of all fields.
    public var fieldLine: Int
    /// All fields and the empty line after them, which are kept in memory until the request is answered.
    public var fieldBytes: Int
    /// The number of fields, since a lookup is a linear search.
    public var fieldCount: Int
    /// The line before a chunk with its line end. Only a number is read from it.
    public var chunkLine: Int
    /// All chunk extensions of one body, which are ignored and otherwise unlimited.
    public var chunkExtensions: Int
    /// All trailer fields after a chunked body, which are ignored.
    public var trailerBytes: Int
    /// The body, which may be kept in memory as a whole.
    public var body: Int

    public init(
        requestLine: Int = 16 << 10,
        fieldLine: Int = 8 << 10,
        fieldBytes: Int = 32 << 10,
        fieldCount: Int = 100,
        chunkLine: Int = 256,
        chunkExtensions: Int = 4 << 10,
        trailerBytes: Int = 4 << 10,
        body: Int = 16 << 20
    ) {
        self.requestLine = requestLine
        self.fieldLine = fieldLine
        self.fieldBytes = fieldBytes
        self.fieldCount = fieldCount
        self.chunkLine = chunkLine
        self.chunkExtensions = chunkExtensions
        self.trailerBytes = trailerBytes
        self.body = body
    }
}
