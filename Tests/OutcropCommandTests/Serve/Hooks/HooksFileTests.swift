// SPDX-License-Identifier: Apache-2.0

// The file of webhooks, and its mistakes.

import FoundationEssentials
import JSON
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("File of webhooks")
struct HooksFileTests {
    private func read(_ text: String, hosts: [String] = ["localhost:9000"]) throws -> HooksFile {
        try Checkout.withFolder { folder in
            let path = folder + "/hooks.json"
            try Data(text.utf8).write(to: URL(filePath: path))
            try Data("a secret of the file\n".utf8).write(to: URL(filePath: folder + "/secret"))
            return HooksFile(
                path: path,
                allowing: hosts.compactMap(HookHost.init),
                environment: ["SECRET": "a secret of the environment"]
            )
        }
    }

    @Test("a file has all members of its hooks, and comments")
    func members() throws {
        let file = try read(
            """
            // Receivers
            [{
                "name": "search", "url": "http://localhost:9000/in", "entities": ["Post", "tags"],
                "kinds": ["inserted", "deleted"], "predicate": "views > 3", "secret": "0123456789abcdef",
                "timeout": "3 s", "maximumDelay": "1 min", "giveUpAfter": "2 h", "attempts": 5, "deadLetters": 7
            }, {"name": "mail", "url": "http://localhost:9000", "secret": {"file": "secret"}, "attempts": null},
            {"name": "log", "url": "http://localhost:9000/log", "secret": {"variable": "SECRET"}}]
            """
        )
        #expect(file.problems.isEmpty, "\(file.problems)")
        try #require(file.hooks.count == 3)
        let hook = file.hooks[0]
        #expect(hook.entities == ["Post", "tags"] && hook.kinds?.count == 2)
        #expect(hook.predicate == "views > 3" && hook.secret == Array("0123456789abcdef".utf8))
        #expect(hook.limits.timeout == .seconds(3) && hook.limits.maximumDelay == .seconds(60))
        #expect(hook.limits.giveUpAfter == .seconds(7_200) && hook.limits.attempts == 5)
        #expect(hook.limits.deadLetters == 7)
        #expect(file.hooks[1].secret == Array("a secret of the file".utf8))
        #expect(file.hooks[1].limits == HookLimits() && file.hooks[1].entities == nil)
        #expect(file.hooks[2].secret == Array("a secret of the environment".utf8))
    }

    @Test(
        "each mistake is reported at its place with a remedy",
        arguments: [
            (#"{"name": "n/m""#, "hooks.json:1:3: “n/m” can't be a webhook's name. Use up to 64 letters"),
            (#"{"url": 7"#, "hooks.json:1:3: “url” must be a text"),
            (
                #"{"url": "ftp://localhost:9000/""#,
                "hooks.json:1:3: The address begins with neither https:// nor http://"
            ),
            (
                #"{"url": "http://localhost:9001/""#,
                "hooks.json:1:3: Webhooks may not send to localhost:9001. Allow it: --hook-hosts localhost:9001"
            ),
            (#"{"url": "http://127.0.0.1:9000/""#, "hooks.json:1:3: Webhooks may not send to 127.0.0.1:9000."),
            (#"{"entities": []"#, "hooks.json:1:3: “entities” must be a list of texts. Omit it for all."),
            (#"{"kinds": ["insert"]"#, "hooks.json:1:3: “kinds” can't have “insert”. Did you mean “inserted”?"),
            (#"{"predicate": """#, "hooks.json:1:3: “predicate” must be a text"),
            (#"{"secret": "short""#, "hooks.json:1:3: The secret has 5 bytes, fewer than 16. Make one: openssl"),
            (#"{"secret": {"file": "none"}"#, "of the secret can't be read."),
            (#"{"secret": {"variable": "NONE"}"#, "hooks.json:1:3: The variable NONE of the secret isn't set."),
            (#"{"secret": {"path": "x"}"#, "hooks.json:1:3: “secret” is neither a text nor where one is."),
            (#"{"timeout": "soon""#, "hooks.json:1:3: “timeout” isn't valid: expected"),
            (#"{"timeout": "0 s""#, "hooks.json:1:3: “timeout” must be longer than 0 s."),
            (#"{"maximumDelay": "0 s""#, "hooks.json:1:3: “maximumDelay” must be longer than 0 s."),
            (#"{"attempts": 0"#, "hooks.json:1:3: “attempts” isn't valid: expected"),
            (#"{"attempts": true"#, "hooks.json:1:3: “attempts” isn't valid: expected"),
            (#"{"enities": ["Post"]"#, "hooks.json:1:3: A webhook has no “enities”. Did you mean “entities”?"),
        ]
    )
    func mistakes(begin: String, message: String) throws {
        var members = begin
        for (name, value) in [
            ("name", #""n""#), ("url", #""http://localhost:9000/""#), ("secret", #""0123456789abcdef""#),
        ] where !begin.contains("\"\(name)\":") { members += ", \"\(name)\": \(value)" }
        let file = try read("[\(members)}]")
        #expect(file.problems.count == 1, "\(file.problems.map(\.line))")
        #expect(file.problems.first?.line.contains(message) == true, "\(file.problems.map(\.line))")
        #expect(file.hooks.isEmpty)
    }

    @Test("a file that isn't a list of hooks with distinct names is refused")
    func files() throws {
        #expect(try read("[").problems.first?.line.contains("hooks.json:1:2: ") == true)
        #expect(try read("{}").problems.first?.message == "Webhooks must be a list, not an object.")
        #expect(try read("[7]").problems.first?.line.contains("hooks.json:1:2: A webhook must be an object") == true)
        #expect(try read("[{}]").problems.count == 3)
        let hook = #"{"name": "n", "url": "http://localhost:9000", "secret": "0123456789abcdef"}"#
        #expect(try read("[\(hook), \(hook)]").problems.map(\.message) == ["Another webhook is called “n”."])
        #expect(try read("[]").problems.isEmpty)
        let missing = HooksFile(path: "/none/hooks.json", allowing: [], environment: [:])
        #expect(missing.problems.map(\.line) == ["/none/hooks.json: The file of webhooks can't be read."])
    }

    @Test("a host is allowed with one port or any, and no other spelling of it")
    func hosts() throws {
        func allows(_ host: String, _ url: String) throws -> Bool {
            try #require(HookHost(host)).allows(HookURL(url))
        }
        #expect(try allows("a.example", "http://A.example:9000/"))
        #expect(try allows("a.example:80", "http://a.example/"))
        #expect(try allows("::1", "http://[::1]:9000/") && allows("[::1]:9000", "http://[::1]:9000/"))
        #expect(try !allows("a.example:81", "http://a.example/"))
        #expect(try !allows("a.example", "http://b.a.example/"))
        #expect(try !allows("localhost", "http://127.0.0.1/"))
        for text in ["", "a b", "a:", "http://a", "a/b", "*", "a:x"] { #expect(HookHost(text) == nil, "\(text)") }
    }

    @Test("the check of a server's settings includes the hooks, with the model's names")
    func check() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/hooks.json"
            func check(_ hook: String, _ arguments: String...) throws -> String {
                let members = #""name": "n", "url": "http://localhost:9000", "secret": "0123456789abcdef""#
                try Data("[\n{\(members)\(hook)}]".utf8).write(to: URL(filePath: path))
                let words = ["serve", "--demo", "--check", "--hooks", path, "--hook-hosts", "localhost:9000"]
                return Program.run(words + arguments, on: .plain).output
            }
            #expect(try check("").hasPrefix("No problems"))
            #expect(try check(#", "entities": ["Post"], "predicate": "views > 3""#).hasPrefix("No problems"))
            #expect(try check("", "--hook-hosts", "other.example").hasPrefix("No problems"))
            let entity = try check(#", "entities": ["Pots"]"#)
            #expect(
                entity.contains("hooks.json:2:77: The model has no entity “Pots”. Did you mean “Post”?"),
                "\(entity)"
            )
            let predicate = try check(#", "entities": ["Post"], "predicate": "veiws > 3""#)
            #expect(predicate.contains("The predicate can't be used for Post: "), "\(predicate)")
            #expect(try check("", "--history", "off").contains("--hooks: Webhooks deliver the history, which is off."))
            let readOnly = try check("", "--read-only", "--store", folder + "/a.sqlite")
            #expect(readOnly.contains("--hooks: Webhooks write their positions into the stores, which are read-only."))
        }
    }
}
