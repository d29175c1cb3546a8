// SPDX-License-Identifier: Apache-2.0

// The states of a reader before a body.

extension HTTPRequestReader {
    /// Some old clients send an empty line after a body. A few of them are tolerated.
    private static let maximumEmptyLines = 3

    mutating func readRequestLine() throws(HTTPRefusal) -> HTTPReadEvent? {
        guard let line = try incoming.line(limit: limits.requestLine, else: .requestLineTooLong(limits)) else {
            return .needMore
        }
        guard !line.isEmpty else {
            incoming.discardLines()
            emptyLines += 1
            guard emptyLines <= Self.maximumEmptyLines else {
                throw .malformed("There are empty lines before the request.")
            }
            return nil
        }
        head = try RequestHeadBuilder(requestLine: incoming.bytes[line])
        emptyLines = 0
        state = .fields
        return nil
    }

    mutating func readField() throws(HTTPRefusal) -> HTTPReadEvent? {
        let remaining = limits.fieldBytes - (head?.fieldBytes ?? 0)
        let line =
            if remaining < limits.fieldLine {
                try incoming.line(limit: remaining, else: .fieldsTooLarge(limits))
            } else {
                try incoming.line(limit: limits.fieldLine, else: .fieldLineTooLong(limits))
            }
        guard let line else { return .needMore }
        guard line.isEmpty else {
            guard head?.fieldCount ?? 0 < limits.fieldCount else { throw .tooManyFields(limits) }
            try head?.addField(at: line, of: incoming.bytes, from: incoming.start)
            return nil
        }
        return try finishHead()
    }

    private mutating func finishHead() throws(HTTPRefusal) -> HTTPReadEvent? {
        guard let head = try head.take()?.head(over: incoming.drainLines()) else { return nil }
        isKeepAlive = head.isKeepAlive
        bodyLimit = limits.body
        bodyBytes = 0
        extensionBytes = 0
        trailerBytes = 0
        trailerCount = 0
        state =
            switch head.framing {
            case .none, .length(0): .ending
            case .length(let length): .body(remaining: length)
            case .chunked: .chunkLine
            }
        return .head(head)
    }
}
