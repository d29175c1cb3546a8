// SPDX-License-Identifier: Apache-2.0

// Sends the requests of webhooks.

import Cryptography
import FoundationEssentials
import HTTPMessage
import RESTAPI

/// A client that sends one request on a connection of its own, waits for the status, and follows no redirects.
struct HookClient: Sendable {
    /// For addresses with `https`.
    let tls: TLSClient

    func send(_ request: HookRequest) -> HookAnswer {
        do throws(HookConnection.Failure) {
            return try answer(to: request)
        } catch {
            return .failed(error.reason)
        }
    }

    private static let headLimit = 16 << 10

    private func answer(to request: HookRequest) throws(HookConnection.Failure) -> HookAnswer {
        let url = request.url
        let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
        let connection = try HookConnection(host, url.port, within: request.timeout, over: url.isSecure ? tls : nil)
        do throws(HookConnection.Failure) {
            try connection.send(Self.head(of: request) + request.body)
        } catch  where !error.isTimeout {
            // A receiver may answer and close without reading the body.
            return try Self.answer(on: connection)
        }
        return try Self.answer(on: connection)
    }

    private static func head(of request: HookRequest) -> [UInt8] {
        var head = Array("POST \(request.url.target) HTTP/1.1\r\nHost: \(request.url.authority)\r\n".utf8)
        head += Array("User-Agent: outcrop/\(Program.version)\r\nConnection: close\r\n".utf8)
        head += Array("Content-Length: \(request.body.count)\r\n".utf8)
        request.fields.write(into: &head)
        return head + Array("\r\n".utf8)
    }

    /// The first answer that isn't an interim one. Its body isn't read.
    private static func answer(on connection: HookConnection) throws(HookConnection.Failure) -> HookAnswer {
        var bytes: [UInt8] = []
        while true {
            let (head, rest) = try head(on: connection, beginningWith: bytes)
            guard head.status < 200 else { return .status(head.status, retryAfter: head.retryAfter) }
            bytes = rest
        }
    }

    private typealias Head = (status: Int, retryAfter: Duration?)

    private static func head(
        on connection: HookConnection,
        beginningWith received: [UInt8]
    ) throws(HookConnection.Failure) -> (head: Head, rest: [UInt8]) {
        var bytes = received
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = bytes.firstRange(of: end) {
                return (
                    try head(String(decoding: bytes[..<range.lowerBound], as: UTF8.self)),
                    Array(bytes[range.upperBound...])
                )
            }
            guard bytes.count < headLimit else { throw HookConnection.Failure("The head of its answer is too long.") }
            let piece = try connection.receive()
            guard !piece.isEmpty else { throw HookConnection.Failure("It closed the connection without an answer.") }
            bytes += piece
        }
    }

    private static func head(_ text: String) throws(HookConnection.Failure) -> Head {
        let lines = text.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            (100...999).contains(status)
        else { throw HookConnection.Failure("It doesn't answer with HTTP/1.1.") }
        let name = "retry-after:"
        let field = lines.dropFirst().first { $0.lowercased().hasPrefix(name) }
        return (status, field.flatMap { duration(String($0.dropFirst(name.count))) })
    }

    /// The value of `Retry-After`: seconds, or a date.
    private static func duration(_ text: String) -> Duration? {
        let text = text.drop { $0 == " " }
        if let seconds = Int32(text) { return .seconds(max(seconds, 0)) }
        guard let date = HTTPDate(String(text)) else { return nil }
        return .seconds(max(date.secondsSince1970 - Int(Date.now.timeIntervalSince1970), 0))
    }
}
