// SPDX-License-Identifier: Apache-2.0

// Server-Sent Events.

public struct ServerSentEvent: Hashable, Sendable {
    /// Sent by a reconnecting client as the last event that it received.
    public var id: String?
    public var event: String?
    public var data: String?
    /// The reconnection delay, in milliseconds.
    public var retry: Int?
    /// Ignored by clients; on its own it keeps a connection alive.
    public var comment: String?

    public init(
        id: String? = nil,
        event: String? = nil,
        data: String? = nil,
        retry: Int? = nil,
        comment: String? = nil
    ) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
        self.comment = comment
    }

    /// The encoded event with its empty line. Text can't end it early: data and comment are split into lines, and
    /// line ends in the other values are removed.
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        if let comment { write(linesOf: comment, as: ":", into: &output) }
        if let id { write(id.utf8.filter(\.isAllowedInLine), as: "id:", into: &output) }
        if let event { write(event.utf8.filter(\.isAllowedInLine), as: "event:", into: &output) }
        if let retry { write(Array(String(retry).utf8), as: "retry:", into: &output) }
        if let data { write(linesOf: data, as: "data:", into: &output) }
        output.append(.lineFeed)
        return output
    }

    private func write(linesOf text: String, as name: String, into output: inout [UInt8]) {
        var line: [UInt8] = []
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case .lineFeed where previous == .carriageReturn: break
            case .lineFeed, .carriageReturn:
                write(line, as: name, into: &output)
                line = []
            default: line.append(byte)
            }
            previous = byte
        }
        write(line, as: name, into: &output)
    }

    private func write(_ value: [UInt8], as name: String, into output: inout [UInt8]) {
        output += name.utf8
        output.append(.space)
        output += value
        output.append(.lineFeed)
    }
}

extension UInt8 {
    /// Whether a byte is allowed in a value of one line. Clients ignore an ID that contains NUL.
    fileprivate var isAllowedInLine: Bool { self != .lineFeed && self != .carriageReturn && self != 0 }
}
