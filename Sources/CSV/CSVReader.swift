// SPDX-License-Identifier: Apache-2.0

// Reads the rows of a text of any length as it arrives, strictly by RFC 4180.

package import SourceText

/// Reads the rows of a text, keeping one of them in memory.
///
///     var reader = CSVReader { try file.next() }
///     while let row = try reader.next() { insert(row.map(\.text), line: reader.start.line) }
///
/// Lines end with CR LF, LF or CR. A leading byte order mark and empty lines are skipped, and so is a first line
/// `sep=;`, unless a separator is given. A quoted cell may contain any text, with quotes doubled. After an error the
/// reader is unusable, unless only a row is invalid: see `CSVError.affectsOneRow`.
package struct CSVReader {
    /// The position of the last row that was read.
    package private(set) var start = TextPosition(line: 1, column: 1)
    /// The separator of cells. If not given, it is detected in the first line when the first row is read.
    package private(set) var separator: CSVSeparator?

    private let limits: CSVLimits
    private let nextBytes: () throws -> [UInt8]?
    /// The bytes from `index` on have not been parsed.
    private var bytes: [UInt8] = []
    private var index = 0
    private var isComplete = false
    private var hasDetectedSeparator = false
    /// The position of `index`.
    private var position = TextPosition(line: 1, column: 1)
    private var rowBytes = 0

    /// - Parameter nextBytes: Returns the next bytes, any number of them, or nil at the end.
    package init(
        separator: CSVSeparator? = nil,
        limits: CSVLimits = .default,
        nextBytes: @escaping () throws -> [UInt8]?
    ) {
        self.separator = separator
        self.limits = limits
        self.nextBytes = nextBytes
    }

    /// The next row, or nil at the end. Throws a `CSVError` for malformed text, and errors of `nextBytes`.
    package mutating func next() throws -> [CSVCell]? {
        let separator = try detectSeparator()
        while let byte = try current(), byte.endsLine { try skipLineEnd(byte) }
        guard try current() != nil else { return nil }
        start = position
        rowBytes = 0
        var row: [CSVCell] = []
        var flaw: CSVError?
        while true {
            guard row.count < limits.cells else {
                throw CSVError.limitExceeded("cells", limit: limits.cells, at: position)
            }
            row.append(try cell(separator.rawValue, &flaw))
            guard let byte = try current() else { break }
            if byte.endsLine {
                try skipLineEnd(byte)
                break
            }
            index += 1
            position.column += 1
        }
        if let flaw { throw flaw }
        return row
    }
}

// MARK: Cells

extension CSVReader {
    /// - Parameter flaw: Set to an error that doesn't prevent reading the row to its end.
    private mutating func cell(_ separator: UInt8, _ flaw: inout CSVError?) throws -> CSVCell {
        let place = position
        let isQuoted = try current() == .quote
        let bytes = isQuoted ? try quoted() : try plain(separator)
        let text = String(validating: bytes, as: UTF8.self)
        if text == nil, flaw == nil { flaw = .invalidUTF8(at: place) }
        if isQuoted, let byte = try current(), byte != separator, !byte.endsLine {
            throw CSVError.afterQuote(at: position)
        }
        return CSVCell(text ?? "", isQuoted: isQuoted)
    }

    private mutating func plain(_ separator: UInt8) throws -> [UInt8] {
        var text: [UInt8] = []
        while true {
            try consume(into: &text) { $0 == separator || $0.endsLine || $0 == .quote }
            guard let byte = try current() else { return text }
            guard byte != .quote else { throw CSVError.strayQuote(at: position) }
            if byte == separator || byte.endsLine { return text }
        }
    }

    /// The text from the opening quote here to the closing one.
    private mutating func quoted() throws -> [UInt8] {
        let place = position
        var text: [UInt8] = []
        skip()
        while true {
            try consume(into: &text) { $0 == .quote || $0.endsLine }
            guard let byte = try current() else { throw CSVError.unclosedQuote(at: place) }
            if byte.endsLine {
                text.append(byte)
                skip()
                if byte == .carriageReturn, try current() == .lineFeed {
                    text.append(.lineFeed)
                    skip()
                }
                position = TextPosition(line: position.line + 1, column: 1)
                try count(1)
            } else if byte == .quote {
                skip()
                guard try current() == .quote else { return text }
                text.append(.quote)
                skip()
                try count(1)
            }
            try check(text.count)
        }
    }

    /// Consumes the bytes before one that matches, or all received bytes.
    private mutating func consume(into text: inout [UInt8], until stops: (UInt8) -> Bool) throws {
        guard try current() != nil else { return }
        let first = index
        var columns = 0
        while index < bytes.count, !stops(bytes[index]) {
            if bytes[index] & 0xC0 != 0x80 { columns += 1 }
            index += 1
        }
        text += bytes[first..<index]
        try count(index - first)
        try check(text.count)
        position.column += columns
    }

    private mutating func count(_ bytes: Int) throws {
        rowBytes += bytes
        guard rowBytes <= limits.rowBytes else {
            throw CSVError.limitExceeded("bytes", limit: limits.rowBytes, at: position)
        }
    }

    private func check(_ bytes: Int) throws {
        guard bytes <= limits.cellBytes else {
            throw CSVError.limitExceeded("bytes in a cell", limit: limits.cellBytes, at: position)
        }
    }
}

// MARK: Bytes

extension CSVReader {
    /// The next byte, or nil at the end of the text.
    private mutating func current() throws -> UInt8? {
        while index == bytes.count {
            guard try receive() else { return nil }
        }
        return bytes[index]
    }

    /// Receives more bytes and discards the consumed ones; false at the end.
    private mutating func receive() throws -> Bool {
        guard !isComplete else { return false }
        guard let more = try nextBytes() else {
            isComplete = true
            return false
        }
        if index == bytes.count {
            bytes = more
        } else {
            bytes.removeSubrange(..<index)
            bytes += more
        }
        index = 0
        return true
    }

    private mutating func skip() {
        index += 1
        position.column += 1
    }

    private mutating func skipLineEnd(_ byte: UInt8) throws {
        index += 1
        if byte == .carriageReturn, try current() == .lineFeed { index += 1 }
        position = TextPosition(line: position.line + 1, column: 1)
    }

    /// Skips a byte order mark, and detects the separator in the first line.
    private mutating func detectSeparator() throws -> CSVSeparator {
        if let separator, hasDetectedSeparator { return separator }
        if !hasDetectedSeparator {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            while bytes.count < mark.count, bytes == Array(mark.prefix(bytes.count)), try receive() {}
            if bytes.starts(with: mark) { index = mark.count }
            hasDetectedSeparator = true
            if let separator { return separator }
        }
        let line = try firstLine()
        let named = CSVSeparator(namedIn: line)
        if named != nil {
            index += line.count
            position.column += line.count
        }
        let found = named ?? CSVSeparator(in: line)
        separator = found
        return found
    }

    /// The first line that isn't empty, up to the limit of a row.
    private mutating func firstLine() throws -> ArraySlice<UInt8> {
        while let byte = try current(), byte.endsLine { try skipLineEnd(byte) }
        var count = 0
        var isQuoted = false
        while count <= limits.rowBytes {
            guard index + count < bytes.count else {
                guard try receive() else { break }
                continue
            }
            let byte = bytes[index + count]
            if byte == .quote { isQuoted.toggle() }
            if byte.endsLine, !isQuoted { break }
            count += 1
        }
        return bytes[index..<index + count]
    }
}

extension UInt8 {
    fileprivate var endsLine: Bool { self == .lineFeed || self == .carriageReturn }
}
