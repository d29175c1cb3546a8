// SPDX-License-Identifier: Apache-2.0

// A server with the API.

import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI

/// Accesses a server over a connection that is reopened when it was closed.
final class RemoteEndpoint: Endpoint {
    let model: ManagedObjectModel
    var name: String { url.argument }

    let stores: [String]
    let restriction: String?
    let recordsAnswer = true

    private let url: ServerURL
    private let line: ServerClient

    init(_ url: ServerURL) throws {
        self.url = url
        line = ServerClient(url, credential: try Self.credential(ProcessInfo.processInfo.environment))
        var index: [UInt8] = []
        let told = try line.send(HTTPRequest(.get, "/api")) { index += $0 }
        guard told.isSuccess else { throw told.failure("The server doesn't return its stores") }
        restriction =
            told.isForAnonymous
            ? "The server has access rules, and no credential was sent: the export has only what everybody may read. "
                + "The variable \(Self.credentialVariable) can have an API key or a token."
            : nil
        let description = try? JSONValue(parsing: index)
        stores = description?["stores"]?.array?.compactMap { $0["uuid"]?.string } ?? []
        var body: [UInt8] = []
        let answer = try line.send(HTTPRequest(.get, "/api/model")) { body += $0 }
        guard answer.isSuccess else { throw answer.failure("The server doesn't return its model") }
        do {
            var served = try ModelFile(json: body, name: "Model").current.model
            for entity in description?["entities"]?.array ?? [] { served = served.withoutUnreadable(of: entity) }
            model = try ManagedObjectModel(served)
        } catch {
            throw Failure("The server's model can't be read.", code: "server.model", file: url.argument)
        }
    }

    /// The variable with the API key or token for a server with access rules. As an option, everyone on the machine could
    /// see it.
    static let credentialVariable = "OUTCROP_KEY"

    private static func credential(_ environment: [String: String]) throws -> String? {
        guard let text = environment[credentialVariable], !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Failure(
                "The variable \(credentialVariable) isn't a key or a token.",
                hint: "It must consist of visible ASCII characters, without spaces.",
                code: "server.credential",
                file: nil
            )
        }
        return text
    }

    func send(_ request: HTTPRequest, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer {
        try line.send(request, take)
    }

    func chunkSize(_ wanted: Int?, hasNames: Bool) -> Int { wanted ?? 1_000 }

    func hasAnswer(to key: String) -> Bool? { nil }

    /// The server forgets them by itself.
    func removeAnswers(to keys: String) {}
}

extension Model {
    /// The model without the attributes of an entity that the server takes and never shows, such as the passwords of accounts.
    ///
    /// - Parameter entry: The entity in the answer to `GET /api`.
    fileprivate func withoutUnreadable(of entry: JSONValue) -> Model {
        let names = Set(entry["writeOnly"]?.array?.compactMap(\.string) ?? [])
        guard !names.isEmpty, let entity = entry["name"]?.string else { return self }
        return withoutAttributes(names, of: entity)
    }
}

/// Sends requests one at a time.
private final class ServerClient {
    private let url: ServerURL
    private let credential: String?
    private var connection: ServerConnection?

    /// - Parameter credential: An API key or a token, or nil.
    init(_ url: ServerURL, credential: String?) {
        self.url = url
        self.credential = credential
    }

    /// Sends a request, and waits as long as the server says when there were too many.
    func send(_ request: HTTPRequest, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer {
        while true {
            let answer = try sendOnce(request, take)
            // Such a request had no effect, and its answer no body that was taken.
            guard let seconds = answer.retryAfter, seconds <= Self.longestWait else { return answer }
            sleep(UInt32(seconds))
        }
    }

    /// In seconds. With a limit of a day, a command would seem to hang.
    private static let longestWait = 120

    /// If the server has closed a kept connection, a repeatable request is sent again, unless a response has begun.
    private func sendOnce(_ request: HTTPRequest, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer {
        let kept = connection
        do {
            do {
                return try exchange(request, connection: kept ?? ServerConnection(url), take)
            } catch let error as ServerConnection.Failure {
                connection = nil
                guard kept != nil, request.method == .get || request.fields.contains("Idempotency-Key"), !hasBegun
                else {
                    throw error
                }
                return try exchange(request, connection: ServerConnection(url), take)
            }
        } catch let error as ServerConnection.Failure {
            throw Failure(
                "The request to the server failed: \(error.reason).",
                code: "server.unreachable",
                file: url.argument
            )
        }
    }

    /// Whether a response has begun.
    private var hasBegun = false

    private func exchange(
        _ request: HTTPRequest,
        connection: ServerConnection,
        _ take: ([UInt8]) throws -> Void
    ) throws -> EndpointAnswer {
        hasBegun = false
        self.connection = nil
        try connection.send(head(of: request) + body(of: request))
        var head = try self.head(connection)
        while head.status.code < 200 { head = try self.head(connection) }
        var answer = EndpointAnswer(status: head.status)
        var problem: [UInt8] = []
        func hand(_ piece: [UInt8]) throws {
            if answer.isSuccess { try take(piece) } else { problem += piece }
        }
        var isKept = head.fields[.connection]?.lowercased() != "close"
        if head.fields["Transfer-Encoding"]?.lowercased() == "chunked" {
            try takeChunks(connection, hand)
        } else if let length = head.fields[.contentLength].flatMap({ Int($0) }) {
            try connection.take(length, hand)
        } else if head.status != .noContent, head.status != .notModified {
            isKept = false
            try connection.takeAll(hand)
        }
        answer.body = problem
        answer.isForAnonymous = credential == nil && head.fields[.vary]?.contains("Authorization") == true
        answer.lacksCredential = credential == nil && [.unauthorized, .forbidden].contains(head.status)
        if head.status == .tooManyRequests {
            answer.retryAfter = head.fields[.retryAfter].flatMap { Int($0) }.map { max(0, $0) }
        }
        if isKept { self.connection = connection }
        return answer
    }

    private func head(of request: HTTPRequest) -> [UInt8] {
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        var head = "\(request.method.name) \(request.target) HTTP/1.1\r\nHost: \(host):\(url.port)\r\n"
        if let credential { head += "\(FieldName.authorization): Bearer \(credential)\r\n" }
        for field in request.fields.all { head += "\(field.name): \(field.value)\r\n" }
        if case .bytes(let bytes) = request.body { head += "Content-Length: \(bytes.count)\r\n" }
        return Array((head + "\r\n").utf8)
    }

    private func body(of request: HTTPRequest) -> [UInt8] {
        if case .bytes(let bytes) = request.body { bytes } else { [] }
    }

    private func head(_ connection: ServerConnection) throws -> (status: HTTPStatus, fields: HeaderFields) {
        let line = try connection.line()
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let code = Int(words[1]) else {
            throw ServerConnection.Failure(reason: "it doesn't use HTTP/1.1")
        }
        hasBegun = true
        var fields = HeaderFields()
        while case let line = try connection.line(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.add(FieldName(String(line[..<colon])), String(value))
        }
        return (HTTPStatus(code), fields)
    }

    private func takeChunks(_ connection: ServerConnection, _ take: ([UInt8]) throws -> Void) throws {
        while true {
            let size = try connection.line().prefix { $0 != ";" }
            guard let count = Int(size, radix: 16), count >= 0 else {
                throw ServerConnection.Failure(reason: "the answer was truncated")
            }
            guard count > 0 else { break }
            try connection.take(count, take)
            _ = try connection.line()
        }
        while try !connection.line().isEmpty {}
    }
}
