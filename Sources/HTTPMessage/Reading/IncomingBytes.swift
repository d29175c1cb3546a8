// SPDX-License-Identifier: Apache-2.0

// The received bytes of a connection that have not been delivered, and the lines among them.
//
// Each byte is scanned once for a line end, however it arrived, and moved at most once on average: delivered bytes
// are removed when they are more than half. While empty, it holds no memory, since most connections are idle.

struct IncomingBytes: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The first byte that was not delivered.
    private(set) var start = 0
    /// The first byte after the lines that were read.
    private var lineStart = 0
    /// The bytes before this one contain no line end.
    private var scanned = 0

    var count: Int { bytes.count - start }

    mutating func append(_ more: [UInt8]) {
        guard count > 0 else {
            self = IncomingBytes()
            bytes = more
            return
        }
        if start > bytes.count / 2 {
            bytes.removeSubrange(..<start)
            lineStart -= start
            scanned -= start
            start = 0
        }
        bytes += more
    }

    /// Reads a line and returns its range without the line end, or nil if it is incomplete. Throws at the first byte
    /// that isn't allowed in a line, and at the first beyond the limit, which includes the line end.
    mutating func line(
        limit: Int,
        else tooLong: @autoclosure () -> HTTPRefusal
    ) throws(HTTPRefusal) -> Range<Int>? {
        let end = lineStart + min(limit, bytes.count - lineStart)
        scanned = firstControl(in: scanned, end)
        guard scanned < end else {
            guard scanned - lineStart < limit else { throw tooLong() }
            return nil
        }
        guard bytes[scanned] == .carriageReturn else { throw refusal(ofByteAt: scanned) }
        guard scanned + 1 - lineStart < limit else { throw tooLong() }
        guard scanned + 1 < bytes.count else { return nil }
        guard bytes[scanned + 1] == .lineFeed else {
            throw .malformed("A carriage return isn't followed by a line feed.")
        }
        defer {
            lineStart = scanned + 2
            scanned = lineStart
        }
        return lineStart..<scanned
    }

    /// Removes and returns the lines that were read.
    mutating func drainLines() -> [UInt8] { dequeue(lineStart - start) }

    /// Removes the lines that were read.
    mutating func discardLines() { discard(lineStart - start) }

    /// Removes and returns the next bytes, up to a number.
    mutating func dequeue(_ limit: Int) -> [UInt8] {
        let count = min(limit, count)
        let dequeued = start == 0 && count == bytes.count ? bytes : Array(bytes[start..<(start + count)])
        discard(count)
        return dequeued
    }

    /// Removes the next bytes, which must have arrived.
    mutating func discard(_ count: Int) {
        guard count < self.count else {
            self = IncomingBytes()
            return
        }
        start += count
        lineStart = start
        scanned = start
    }

    /// The first control character except tab, or the end.
    private func firstControl(in start: Int, _ end: Int) -> Int {
        guard start < end else { return start }
        let span = bytes.span.extracting(start..<end)
        for index in span.indices where span[index].isControl && span[index] != .tab { return start + index }
        return end
    }

    private func refusal(ofByteAt index: Int) -> HTTPRefusal {
        switch bytes[index] {
        case .lineFeed: .malformed("A line feed isn't preceded by a carriage return.")
        // The first byte of a TLS handshake.
        case 0x16 where index == lineStart:
            .malformed("The connection uses TLS, but this server uses HTTP without TLS.")
        default: .malformed("A line contains a control character.")
        }
    }
}
