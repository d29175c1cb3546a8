// SPDX-License-Identifier: Apache-2.0

// A stored answer, in a text form that is readable in the store.

import HTTPMessage

/// The first answer to a request that may be repeated.
struct StoredAnswer: Sendable {
    let fingerprint: String
    let status: HTTPStatus
    let fields: HeaderFields
    let body: [UInt8]

    /// The answer without the fields of a single response, such as the request ID.
    init(_ response: HTTPResponse, fingerprint: String) {
        self.fingerprint = fingerprint
        status = response.status
        fields = response.fields
        if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
    }

    var reply: Reply {
        var reply = Reply(.none, status: status)
        reply.fields = fields
        if let type = fields[.contentType] { reply.content = .bytes(body, type: type) }
        return reply
    }

    /// The stored answer, if the other request is the same.
    func reply(to other: Fingerprint) throws(Problem) -> Reply {
        guard try other.digest() == fingerprint else {
            throw Problem(
                .idempotency,
                "The Idempotency-Key was already used for a different request.",
                hint: "Use a new key for each new request; a repeat must be identical byte for byte."
            )
        }
        var reply = reply
        reply.fields[.idempotencyReplayed] = "true"
        return reply
    }
}

extension StoredAnswer {
    /// `answer 1 <fingerprint> <status>`, the fields line by line, an empty line, and the body.
    var bytes: [UInt8] {
        var bytes = Array("\(Self.opening) \(fingerprint) \(status.code)\r\n".utf8)
        fields.write(into: &bytes)
        return bytes + [0x0D, 0x0A] + body
    }

    /// Nil for bytes of another form.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        func nextLine() -> String? {
            guard let end = rest.firstIndex(of: 0x0A), rest[..<end].last == 0x0D else { return nil }
            defer { rest = rest[(end + 1)...] }
            return String(decoding: rest[..<end].dropLast(), as: UTF8.self)
        }
        guard let words = nextLine()?.split(separator: " "), words.count == 4,
            words[..<2].joined(separator: " ") == Self.opening, let code = Int(words[3])
        else { return nil }
        var fields = HeaderFields()
        while let line = nextLine(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields.add(FieldName(String(line[..<colon])), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        fingerprint = String(words[2])
        status = HTTPStatus(code)
        self.fields = fields
        body = Array(rest)
    }

    /// The first words; the number is the version of the form.
    private static let opening = "answer 1"
}
