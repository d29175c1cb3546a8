// SPDX-License-Identifier: Apache-2.0

// Fetches the keys of tokens.

import Cryptography
import RESTAPI

/// A client that gets one document over TLS from a server whose certificate is valid. It follows no redirects, and bounds
/// the time and the size.
struct KeySetClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let tls: TLSClient

    private static let time = Duration.seconds(10)
    private static let limit = 1 << 20
    private static let headLimit = 16 << 10

    init(_ tls: TLSClient) { self.tls = tls }

    func document(at address: String) throws -> [UInt8] {
        do {
            let url = try HookURL(address)
            guard url.isSecure else { throw Failure(description: "The address doesn't begin with https://.") }
            let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
            let connection = try HookConnection(host, url.port, within: Self.time, over: tls)
            try connection.send(Self.request(for: url))
            return try Self.body(of: Self.answer(on: connection))
        } catch let failure as HookConnection.Failure {
            throw Failure(description: failure.reason)
        } catch let failure as HookURL.Failure {
            throw Failure(description: failure.message)
        }
    }

    private static func request(for url: HookURL) -> [UInt8] {
        // To HTTP/1.0 nothing is answered in chunks.
        Array(
            ("GET \(url.target) HTTP/1.0\r\nHost: \(url.authority)\r\nUser-Agent: outcrop/\(Program.version)\r\n"
                + "Accept: application/json, application/jwk-set+json\r\nConnection: close\r\n\r\n").utf8
        )
    }

    /// All that the server sends.
    private static func answer(on connection: HookConnection) throws -> [UInt8] {
        var bytes: [UInt8] = []
        // A server may close the connection without the message that ends TLS.
        while (try? body(of: bytes, isWhole: false)) == nil {
            let piece = try connection.receive()
            guard !piece.isEmpty else { return bytes }
            bytes += piece
            guard bytes.count <= limit + headLimit else {
                throw Failure(description: "The answer has more than 1 MiB.")
            }
        }
        return bytes
    }

    /// The body of an answer.
    ///
    /// - Parameter isWhole: Whether the connection has ended, which may be all that ends a body.
    private static func body(of answer: [UInt8], isWhole: Bool = true) throws(Failure) -> [UInt8] {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)), end.lowerBound <= headLimit else {
            throw Failure(description: "The answer isn't one of HTTP.")
        }
        let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Failure(description: "The answer isn't one of HTTP.")
        }
        guard status == 200 else {
            throw Failure(description: "The answer has the status \(status). Redirections aren't followed.")
        }
        let body = Array(answer[end.upperBound...])
        func value(of name: String) -> String? {
            lines.dropFirst().first { $0.lowercased().hasPrefix(name + ":") }
                .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
        }
        guard value(of: "transfer-encoding") == nil, value(of: "content-encoding") == nil else {
            throw Failure(description: "The answer is encoded, which wasn't asked for.")
        }
        let length = value(of: "content-length").map { Int($0) ?? -1 }
        guard isWhole || length != nil, length ?? body.count == body.count else {
            throw Failure(description: "The answer is incomplete.")
        }
        return body
    }
}
