// SPDX-License-Identifier: Apache-2.0
// A place in a source text, and the counter that turns byte offsets into such places.

/// A place in an XML text: line and column, both counted from 1, columns in Unicode scalars.
public struct XMLPosition: Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public var description: String { "\(line):\(column)" }
}

/// Counts lines and columns from one asked-for offset to the next, so that all positions of a text cost one pass.
struct Locator {
    private var offset = 0
    private var line = 1
    private var column = 1

    mutating func position(of target: Int, in bytes: [UInt8]) -> XMLPosition {
        if target < offset { self = Locator() }
        while offset < target {
            let byte = bytes[offset]
            if byte == .lineFeed || (byte == .carriageReturn && bytes[after: offset] != .lineFeed) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80, byte != .carriageReturn {
                column += 1
            }
            offset += 1
        }
        return XMLPosition(line: line, column: column)
    }
}

extension [UInt8] {
    fileprivate subscript(after offset: Int) -> UInt8 {
        offset + 1 < count ? self[offset + 1] : 0
    }
}
