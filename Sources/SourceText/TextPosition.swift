// SPDX-License-Identifier: Apache-2.0

/// A position in a text: line and column, both counted from 1, columns in Unicode scalars.
public struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public var description: String { "\(line):\(column)" }
}

/// Converts byte offsets to positions, in one pass if the offsets ascend.
public struct TextLocator: Sendable {
    private var offset = 0
    private var line = 1
    private var column = 1

    public init() {}

    /// The position of a byte. LF, CR and CR LF end a line.
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
