// SPDX-License-Identifier: Apache-2.0

// Explains a problem's code, as JSON or HTML.

import HTTPMessage
import JSON
import SourceText

extension ProblemCode {
    /// The code whose page a path names.
    init(path name: String) throws(Problem) {
        guard let code = Self.all.first(where: { $0.description == name }) else {
            throw Problem(
                .notFound,
                "There is no problem code “\(name)”.",
                hint: Spelling.hint(for: name, among: Self.all.map(\.description)) ?? "GET /problems lists them."
            )
        }
        self = code
    }

    var json: JSONValue {
        [
            "type": .string("/problems/\(self)"), "code": .string(description), "title": .string(title),
            "status": .integer(status.code), "statuses": .array(statuses.map { .integer($0.code) }),
            "meaning": .string(meaning), "remedy": .string(remedy),
        ]
    }
}

enum ProblemPage {
    /// HTML if the client prefers it, or else JSON.
    static func reply(_ request: APIRequest, _ json: JSONValue, _ page: String) throws(Problem) -> Reply {
        guard let type = AcceptedMediaTypes(request.fields).bestMatch(among: [.json, .html]) else {
            throw Problem(
                .notAcceptable,
                "It is available only as \(MediaType.json) and \(MediaType.html).",
                hint: "Omit Accept, or add one of them to it."
            )
        }
        var reply = Reply(type == .html ? .bytes(Array(page.utf8), type: "text/html; charset=utf-8") : .json(json))
        reply.fields[.vary] = "Accept"
        return reply
    }

    static var list: String {
        let rows = ProblemCode.all.map { code in
            "<tr><td><a href=\"/problems/\(code)\">\(code)</a></td><td>\(statuses(of: code))</td>"
                + "<td>\(text(code.meaning))</td></tr>"
        }
        let head = "<tr><th>Code</th><th>Status</th><th>Meaning</th></tr>"
        return document("Problems", "<table>\n\(head)\n\(rows.joined(separator: "\n"))\n</table>")
    }

    static func page(of code: ProblemCode) -> String {
        document(
            code.title,
            """
            <p><code>\(code)</code>, status \(statuses(of: code))</p>
            <h2>Meaning</h2>
            <p>\(text(code.meaning))</p>
            <h2>Remedy</h2>
            <p>\(text(code.remedy))</p>
            <p><a href="/problems">All problems</a></p>
            """
        )
    }

    private static func statuses(of code: ProblemCode) -> String {
        code.statuses.map { "\($0.code)" }.joined(separator: ", ")
    }

    private static func document(_ title: String, _ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>\(text(title))</title></head>
        <body>
        <h1>\(text(title))</h1>
        \(body)
        </body>
        </html>

        """
    }

    /// The text with parts in backticks as code.
    private static func text(_ text: String) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
        return escaped.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset % 2 == 1 ? "<code>\($0.element)</code>" : String($0.element) }.joined()
    }
}
