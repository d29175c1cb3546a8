// SPDX-License-Identifier: Apache-2.0

// `outcrop serve --ready`: asks a running server whether it is ready.

import Cryptography
import FoundationEssentials
import HTTPServer
import JSON
import RESTAPI

/// Asks the server that runs with some settings at each of its addresses.
struct ServeProbe {
    let settings: ServeSettings

    private static let time = Duration.seconds(3)

    /// The answer at an address; nil if the server is ready there.
    private struct Answer {
        let address: String
        let problem: String?
    }

    var report: Report {
        let answers = settings.listen.map(ask)
        let isReady = answers.contains { $0.problem == nil } && answers.allSatisfy { $0.problem == nil }
        let lines = answers.map { "\($0.address): \($0.problem ?? "ready")" }
        let json: JSONObject = [
            "ready": .bool(isReady),
            "addresses": .array(
                answers.map { answer in
                    var json: JSONObject = ["address": .string(answer.address)]
                    json["problem"] = answer.problem.map(JSONValue.string)
                    return .object(json)
                }
            ),
        ]
        return Report(
            text: lines.map { StyledText($0) }.joined(separator: "\n"),
            json: .object(json),
            status: isReady ? .fine : .problems
        )
    }

    private func ask(_ address: ListenAddress) -> Answer {
        do throws(HookConnection.Failure) {
            return Answer(address: address.description, problem: try problem(at: address))
        } catch {
            return Answer(address: address.description, problem: error.reason)
        }
    }

    private func problem(at address: ListenAddress) throws(HookConnection.Failure) -> String? {
        let connection: HookConnection
        switch address {
        case .activated:
            return "The address of a socket from systemd isn't known here. Give it: --listen ADDRESS"
        case .unix(let path, _):
            connection = try HookConnection(toSocketAt: path, within: Self.time)
        case .tcp(let host, let port):
            guard port != 0 else { return "The port isn't known here. Give it: --listen ADDRESS" }
            let host = Self.reachable[host] ?? host
            guard settings.tlsCertificates.isEmpty || settings.tlsClientCert == .optional else {
                // Without a client's certificate there is no answer, but a connection shows that the server listens.
                _ = try HookConnection(host, port, within: Self.time)
                return nil
            }
            let tls = settings.tlsCertificates.isEmpty ? nil : try Self.tls()
            connection = try HookConnection(host, port, within: Self.time, over: tls)
        }
        let request = "GET /readyz HTTP/1.1\r\nHost: \(hostName(at: address))\r\nConnection: close\r\n\r\n"
        try connection.send(Array(request.utf8))
        var bytes: [UInt8] = []
        while !bytes.contains(UInt8(ascii: "\n")), bytes.count < Self.lineLimit {
            let piece = try connection.receive()
            guard !piece.isEmpty else { return "It closes the connection without an answer." }
            bytes += piece
        }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        return line.hasPrefix("HTTP/1.1 200 ") ? nil : "It isn't ready: \(line)"
    }

    private static let lineLimit = 4 << 10

    /// Addresses of all networks, which aren't ones to connect to.
    private static let reachable = ["*": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"]

    private static func tls() throws(HookConnection.Failure) -> TLSClient {
        do throws(CryptographyError) {
            return try .ofAnyServer()
        } catch {
            throw HookConnection.Failure("TLS can't be used: \(error)")
        }
    }

    /// A name that the server accepts.
    private func hostName(at address: ListenAddress) -> String {
        let name = settings.api.hostNames.lazy.map { "\($0)" }.first { $0 != "*" }
        if let name { return name }
        return address.isLocal ? "localhost" : address.port.map { "127.0.0.1:\($0)" } ?? "localhost"
    }
}
