// SPDX-License-Identifier: Apache-2.0

// Sends the requests of webhooks.

import HTTPMessage
import RESTAPI

/// A client that sends one request on a connection of its own, waits for the status, and follows no redirects.
enum HookClient {
    static let send: HookSender = { request in
        do throws(HookConnection.Failure) {
            return .status(try status(of: request))
        } catch {
            return .failed(error.reason)
        }
    }

    private static let headLimit = 16 << 10
    /// What is read of an answer's body, so that the receiver isn't disturbed, and for how long.
    private static let bodyLimit = 64 << 10
    private static let bodyTime = Duration.seconds(1)

    private static func status(of request: HookRequest) throws(HookConnection.Failure) -> Int {
        let url = request.url
        let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
        let connection = try HookConnection(host, url.port, within: request.timeout)
        do throws(HookConnection.Failure) {
            try connection.send(head(of: request) + request.body)
        } catch  where !error.isTimeout {
            // A receiver may answer and close without reading the body.
            return try answer(on: connection)
        }
        return try answer(on: connection)
    }

    private static func head(of request: HookRequest) -> [UInt8] {
        var head = Array("POST \(request.url.target) HTTP/1.1\r\nHost: \(request.url.authority)\r\n".utf8)
        head += Array("User-Agent: outcrop/\(Program.version)\r\nConnection: close\r\n".utf8)
        head += Array("Content-Length: \(request.body.count)\r\n".utf8)
        request.fields.write(into: &head)
        return head + Array("\r\n".utf8)
    }

    private static func answer(on connection: HookConnection) throws(HookConnection.Failure) -> Int {
        var bytes: [UInt8] = []
        while true {
            let (head, rest) = try head(on: connection, beginningWith: bytes)
            guard head.status >= 200 else {
                bytes = rest
                continue
            }
            let count = min(head.length ?? (head.status == 204 ? 0 : bodyLimit), bodyLimit)
            connection.skip(count - rest.count, within: bodyTime)
            return head.status
        }
    }

    private typealias Head = (status: Int, length: Int?)

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
        let field = lines.dropFirst().first { $0.lowercased().hasPrefix("content-length:") }
        let length = field.flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) }
        return (status, length.map { max($0, 0) })
    }
}
