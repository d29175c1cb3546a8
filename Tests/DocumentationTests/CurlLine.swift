// SPDX-License-Identifier: Apache-2.0

// A line that calls curl, as a request, and the response as curl prints it.

import Cryptography
import HTTPMessage
import JSON
import Testing

/// The request of a line such as `curl -X PATCH localhost:8080/api/tags/1 --json '{"name":"new"}'`. It supports
/// what the pages use: `-X -H -u -i -s -N -I -G -d --json --data-binary --data-urlencode`, and `printf '…' |` in front.
struct CurlLine {
    private(set) var request: HTTPRequest
    /// Whether the head is printed before the body.
    private(set) var showsHead = false

    init(_ line: String) throws {
        var words = Console.words(of: line)
        var input = ""
        if words.first == "printf", words.count > 3, words[2] == "|" {
            input = words[1].replacing("\\n", with: "\n")
            words.removeFirst(3)
        }
        try #require(words.first == "curl", "“\(line)” calls no curl.")
        var (target, body, method): (String?, String?, String?) = (nil, nil, nil)
        var fields = HeaderFields()
        var query: [String] = []
        var isQuery = false
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            switch word {
            case "-i": showsHead = true
            case "-s", "-N": break
            case "-I": (showsHead, method) = (true, "HEAD")
            case "-G": isQuery = true
            case "-X": method = rest.popFirst() ?? ""
            case "-H":
                let field = (rest.popFirst() ?? "").split(separator: ": ", maxSplits: 1)
                fields.add(FieldName(String(field[0])), String(try #require(field.last)))
            case "-u":
                let pair = Base64.encode(Array((rest.popFirst() ?? "").utf8), .standard)
                let padding = String(repeating: "=", count: (4 - pair.utf8.count % 4) % 4)
                fields.add(.authorization, "Basic \(pair)\(padding)")
            case "--json":
                body = rest.popFirst() ?? ""
                fields[.contentType] = fields[.contentType] ?? "application/json"
                fields[.accept] = "application/json"
            case "-d" where isQuery: query.append(rest.popFirst() ?? "")
            case "-d", "--data-binary":
                let data = rest.popFirst() ?? ""
                body = data == "@-" ? input : data
                fields[.contentType] = fields[.contentType] ?? "application/x-www-form-urlencoded"
            case "--data-urlencode":
                let pair = (rest.popFirst() ?? "").split(separator: "=", maxSplits: 1)
                query.append("\(pair[0])=\(RequestTarget.encode(segment: String(try #require(pair.last))))")
            default:
                try #require(!word.hasPrefix("-") && target == nil, "“\(word)” isn't known here.")
                target = word
            }
        }
        let host = "localhost:8080"
        var path = try #require(target)
        try #require(path.hasPrefix(host), "“\(path)” isn't at \(host).")
        path.removeFirst(host.count)
        if isQuery, !query.isEmpty { path += (path.contains("?") ? "&" : "?") + query.joined(separator: "&") }
        if !fields.contains(.host) { fields.add(.host, host) }
        if !fields.contains(.userAgent) { fields.add(.userAgent, "curl/7.88.1") }
        if !fields.contains(.accept) { fields.add(.accept, "*/*") }
        request = HTTPRequest(
            HTTPMethod(method ?? (body == nil || isQuery ? "GET" : "POST")),
            path.isEmpty ? "/" : path,
            fields: fields,
            body: body.map { .bytes(Array($0.utf8)) } ?? .none,
            isLocal: true
        )
    }

    /// The response as a page shows it: the relevant fields of the head, and indented JSON.
    func text(of response: HTTPResponse) throws -> String {
        var lines: [String] = []
        if showsHead {
            lines.append("HTTP/1.1 \(response.status)")
            for name in Self.shownFields {
                lines += response.fields.values(of: name).map {
                    "\(name): \($0.replacing(/cursor=[\w-]+/, with: "cursor=…"))"
                }
            }
        }
        let bytes = try Self.bytes(of: response)
        if bytes.isEmpty || request.method == .head { return lines.joined(separator: "\n") }
        if showsHead { lines.append("") }
        let type = response.fields[.contentType] ?? ""
        if type.contains("json"), let json = try? JSONValue(parsing: bytes) {
            let text = json.serialized(JSONFormat(indentation: 2, width: 100, openLevels: 1))
            // At a terminal the program prints JSON as the page shows it, unless its client asks for JSON.
            let asksForJSON = request.fields[.accept] != "*/*"
            #expect(asksForJSON || text + "\n" == String(decoding: bytes, as: UTF8.self), "\(request.target)")
            // Cursors, and the times at which contexts begin and end, vary.
            let lasting = text.replacing(/cursor=[\w-]+"/, with: "cursor=…\"")
            lines.append(lasting.replacing(/"(created|expires)": "[^"]*"/) { "\"\($0.output.1)\": \"…\"" })
        } else if type.hasPrefix("text/csv") || type.contains("ndjson") {
            // Lines end as those of the page do.
            let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
            lines.append(String(text.last == "\n" ? text.dropLast() : text[...]))
        } else {
            lines.append(String(decoding: bytes, as: UTF8.self))
        }
        return lines.joined(separator: "\n")
    }

    private static let shownFields: [FieldName] = [
        .contentType, .etag, .location, .link, .allow, .contentRange, .acceptRanges, .retryAfter,
        "Idempotency-Replayed",
    ]

    private static func bytes(of response: HTTPResponse) throws -> [UInt8] {
        switch response.body {
        case .none, .feed: return []
        case .bytes(let bytes): return bytes
        case .stream(_, let write):
            let writer = Collected()
            try write(writer)
            return writer.bytes
        }
    }

    private final class Collected: HTTPBodyWriter {
        var bytes: [UInt8] = []
        func write(_ bytes: [UInt8]) { self.bytes += bytes }
    }
}
