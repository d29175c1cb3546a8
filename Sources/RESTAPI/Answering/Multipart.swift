// SPDX-License-Identifier: Apache-2.0

// Several ranges in one body.

import HTTPMessage

/// A body of type `multipart/byteranges`.
struct Multipart: Sendable {
    private let content: Content
    /// The header of each part, and its range.
    private let parts: [(head: [UInt8], range: Range<Int>)]
    private let end: [UInt8]
    private let type: String

    init(_ ranges: [Range<Int>], of content: Content) {
        self.content = content
        // Random, so that it is very unlikely to occur in a part.
        let boundary =
            String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
        type = "multipart/byteranges; boundary=\(boundary)"
        parts = ranges.enumerated().map { offset, range in
            let head = """
                \(offset == 0 ? "" : "\r\n")--\(boundary)\r
                Content-Type: \(content.type)\r
                Content-Range: \(ByteRange.contentRange(range, length: content.length))\r
                \r

                """
            return (Array(head.utf8), range)
        }
        end = Array("\r\n--\(boundary)--\r\n".utf8)
    }

    var body: Reply.Content {
        let length = parts.reduce(end.count) { $0 + $1.head.count + $1.range.count }
        return .stream(type: type, length: length) { writer in
            for (head, range) in parts {
                try writer.write(head)
                try content.write(range, to: writer)
            }
            try writer.write(end)
        }
    }
}
