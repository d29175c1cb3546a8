// SPDX-License-Identifier: Apache-2.0

// A place in a source text, and the counter that turns byte offsets into such places.

/// A place in a text: line and column, both counted from 1, columns in Unicode scalars.
public struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public var description: String { "\(line):\(column)" }
}

/// Counts lines and columns from one asked-for offset to the next, so that all positions of a text cost one pass.
public struct TextLocator: Sendable {
    private var offset = 0
    private var line = 1
    private var column = 1

    public init() {}

    /// The place of a byte; an LF, a CR and a CR LF end a line.
    public mutating func position(of target: Int, in bytes: [UInt8]) -> TextPosition {
        if target < offset { self = TextLocator() }
        while offset < target {
            let byte = bytes[offset]
            if byte == lineFeed || (byte == carriageReturn && bytes.dropFirst(offset + 1).first != lineFeed) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80, byte != carriageReturn {
                column += 1
            }
            offset += 1
        }
        return TextPosition(line: line, column: column)
    }
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
