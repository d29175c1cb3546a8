// SPDX-License-Identifier: Apache-2.0

// The bytes that came in on a connection and were not handed on yet, and the lines among them.
//
// Every byte is looked at once for a line's end, however it came, and moved at most once on average: what was handed on is cut
// off when it is more than half. Nothing is kept while there is nothing to keep, since most connections idle.

struct IncomingBytes: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The first byte that was not handed on.
    private(set) var start = 0
    /// The first byte behind the lines that were read.
    private var lineStart = 0
    /// The bytes up to here are known not to end the line.
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

    /// Reads a line and gives its place without its end, or nil until it is complete. It throws at the first byte that can't be in a
    /// line, and at the first beyond a limit, which counts the line's end.
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
            throw .malformed("A carriage return stands without a line feed behind it.")
        }
        defer {
            lineStart = scanned + 2
            scanned = lineStart
        }
        return lineStart..<scanned
    }

    /// Hands on the lines that were read.
    mutating func takeLines() -> [UInt8] { take(lineStart - start) }

    /// Forgets the lines that were read.
    mutating func dropLines() { drop(lineStart - start) }

    /// Hands on the next bytes, as many as there are up to a number.
    mutating func take(_ most: Int) -> [UInt8] {
        let count = min(most, count)
        let taken = start == 0 && count == bytes.count ? bytes : Array(bytes[start..<(start + count)])
        drop(count)
        return taken
    }

    /// Forgets the next bytes, which are there.
    mutating func drop(_ count: Int) {
        guard count < self.count else {
            self = IncomingBytes()
            return
        }
        start += count
        lineStart = start
        scanned = start
    }

    /// Where the first control character is that is no tab, or the end.
    private func firstControl(in start: Int, _ end: Int) -> Int {
        guard start < end else { return start }
        let span = bytes.span.extracting(start..<end)
        for index in span.indices where span[index].isControl && span[index] != .tab { return start + index }
        return end
    }

    private func refusal(ofByteAt index: Int) -> HTTPRefusal {
        switch bytes[index] {
        case .lineFeed: .malformed("A line feed stands without a carriage return before it.")
        // The first byte of a handshake.
        case 0x16 where index == lineStart: .malformed("This is TLS, where HTTP without TLS is spoken.")
        default: .malformed("A line has a control character in it.")
        }
    }
}
