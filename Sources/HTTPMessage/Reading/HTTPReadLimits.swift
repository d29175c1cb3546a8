// SPDX-License-Identifier: Apache-2.0

// How much of a request is read before it is refused.

/// The limits of a reader, in bytes where nothing else is said. What passes one is refused with the limit's name.
public struct HTTPReadLimits: Hashable, Sendable {
    /// The request line with its end, so that a target without end doesn't fill the memory; queries by hand are far shorter, and
    /// longer ones go into a body.
    public var requestLine: Int
    /// One field with its line end, so that a single field can't take all that the fields may have together.
    public var fieldLine: Int
    /// All fields and the line that ends them, since they are kept for as long as the request is worked on.
    public var fieldBytes: Int
    /// The fields' number, since whoever looks one up looks at all before it.
    public var fieldCount: Int
    /// The line before a chunk with its end: nothing but a number is read from it.
    public var chunkLine: Int
    /// What else than numbers stands before the chunks of one body, since it is read for nothing and no other limit ends it.
    public var chunkExtensions: Int
    /// All fields behind a body in chunks, since they are read for nothing.
    public var trailerBytes: Int
    /// The body, since one that is answered as a whole is kept in memory as a whole.
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
