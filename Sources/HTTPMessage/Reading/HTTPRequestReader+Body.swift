// SPDX-License-Identifier: Apache-2.0

// The states of a reader within a body.

extension HTTPRequestReader {
    mutating func readBody(_ remaining: Int) throws(HTTPRefusal) -> HTTPReadEvent? {
        guard remaining <= bodyLimit - bodyBytes else { throw .bodyTooLarge(bodyLimit) }
        let bytes = dequeueBody(remaining)
        guard !bytes.isEmpty else { return .needMore }
        state = bytes.count == remaining ? .ending : .body(remaining: remaining - bytes.count)
        return .body(bytes)
    }

    mutating func readChunkLine() throws(HTTPRefusal) -> HTTPReadEvent? {
        guard let line = try incoming.line(limit: limits.chunkLine, else: .chunkLineTooLong(limits)) else {
            return .needMore
        }
        let (size, digits) = try Self.chunkSize(incoming.bytes[line])
        extensionBytes += line.count - digits
        guard extensionBytes <= limits.chunkExtensions else { throw .chunkExtensionsTooLarge(limits) }
        guard size <= bodyLimit - bodyBytes else { throw .bodyTooLarge(bodyLimit) }
        incoming.discardLines()
        state = size == 0 ? .trailers : .chunk(remaining: size)
        return nil
    }

    mutating func readChunk(_ remaining: Int) -> HTTPReadEvent? {
        let bytes = dequeueBody(remaining)
        guard !bytes.isEmpty else { return .needMore }
        state = bytes.count == remaining ? .chunkEnd : .chunk(remaining: remaining - bytes.count)
        return .body(bytes)
    }

    mutating func readChunkEnd() throws(HTTPRefusal) -> HTTPReadEvent? {
        let end = incoming.bytes[incoming.start...].prefix(2)
        guard "\r\n".utf8.starts(with: end) else {
            throw .malformed("A chunk isn't followed by a line end.")
        }
        guard end.count == 2 else { return .needMore }
        incoming.discard(2)
        state = .chunkLine
        return nil
    }

    /// Reads a trailer field and discards it, since it must not change what the head says.
    mutating func readTrailer() throws(HTTPRefusal) -> HTTPReadEvent? {
        let remaining = limits.trailerBytes - trailerBytes
        guard let line = try incoming.line(limit: remaining, else: .trailersTooLarge(limits)) else { return .needMore }
        if line.isEmpty {
            state = .ending
        } else {
            trailerCount += 1
            guard trailerCount <= limits.fieldCount else { throw .tooManyFields(limits) }
            _ = try RequestHeadBuilder.field(incoming.bytes[line])
            trailerBytes += line.count + 2
        }
        incoming.discardLines()
        return nil
    }

    private mutating func dequeueBody(_ most: Int) -> [UInt8] {
        let bytes = incoming.dequeue(most)
        bodyBytes += bytes.count
        return bytes
    }

    /// The size of a chunk and the number of its digits; an extension may follow.
    private static func chunkSize(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> (size: Int, digits: Int) {
        var size = 0
        var digits = 0
        for byte in line {
            guard let digit = byte.hexadecimalDigit else { break }
            digits += 1
            // Fifteen digits exceed any body and can't overflow.
            guard digits <= 15 else { throw .malformed("The size of a chunk has too many digits.") }
            size = size << 4 | Int(digit)
        }
        guard digits > 0, digits == line.count || line[line.startIndex + digits] == .semicolon else {
            throw .malformed("The size of a chunk must be a hexadecimal number.")
        }
        return (size, digits)
    }
}
