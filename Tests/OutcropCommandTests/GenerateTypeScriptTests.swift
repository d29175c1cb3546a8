// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop generate typescript")
struct GenerateTypeScriptTests {
    private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("generate writes the file once, and reports that it is up to date the second time")
    func generate() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/demo.ts"
            let first = outcrop("generate", "typescript", Files.demo, "-o", path)
            #expect(first.status == .fine && first.output == "Wrote \(path): 7 entities." && first.errors.isEmpty)
            let text = try Self.text(path)
            #expect(text.contains("\nexport class DemoClient extends ") && text.contains("\nexport interface Post "))
            #expect(
                outcrop("generate", "typescript", Files.demo, "-o", path).output == "\(path) is up to date: 7 entities."
            )
            #expect(outcrop("generate", "typescript", Files.demo).output == String(text.dropLast()))
            #expect(outcrop("generate", "typescript", Files.demo, "-o", "-").output == String(text.dropLast()))
        }
    }

    @Test("the JSON output tells whether the file was changed, and which names differ from the model's")
    func json() throws {
        try Checkout.withFolder { folder in
            let model = folder + "/Blog.json"
            try Files.write(#"{"entities": {"Error": {"userInfo": {"path": "drafts"}}, "Tag": {}}}"#, to: model)
            let words = ["generate", "typescript", model, "-o", folder + "/blog.ts"]
            let renamed: JSONValue = [
                ["entity": "Error", "name": "Error_", "kind": "type"],
                ["entity": "Error", "name": "drafts_", "kind": "property"],
            ]
            for changed in [true, false] {
                #expect(
                    Program.run(words + ["--json"], on: .plain).json == [
                        "output": .string(folder + "/blog.ts"), "changed": .bool(changed), "renamed": renamed,
                    ]
                )
            }
            #expect(
                outcrop("generate", "typescript", model, "-o", folder + "/blog.ts").output == """
                    \(folder)/blog.ts is up to date: 2 entities.
                    Error is the type Error_ in TypeScript.
                    The objects of Error are the client's property drafts_.
                    """
            )
        }
    }

    @Test("the access file names the accounts, and the password that objects don't show")
    func access() throws {
        try Checkout.withFolder { folder in
            let (model, access) = (folder + "/Blog.json", folder + "/access.json")
            let attributes = #"{"attributes": {"email": "String", "secret": "String?"}, "unique": ["email"]}"#
            try Files.write(#"{"entities": {"User": \#(attributes)}}"#, to: model)
            let accounts = #"{"entity": "User", "name": "email", "password": "secret"}"#
            let roles = #"{"admin": {"administers": true}}"#
            try Files.write(#"{"identity": {"accounts": \#(accounts)}, "roles": \#(roles)}"#, to: access)
            let done = outcrop("generate", "typescript", model, "--access", access)
            #expect(done.status == .fine, "\(done.errors)")
            #expect(done.output.contains("ServerAccounts(this.connection)") && !done.output.contains("  secret: "))
            #expect(done.output.contains("  secret?: "))
            #expect(outcrop("generate", "typescript", model, "--accounts", "User").output.contains("  secret: "))
        }
    }

    @Test("the client is named after the model's file, or by --name")
    func name() throws {
        #expect(outcrop("generate", "typescript", Files.olderDemo).output.contains("\nexport class DemoClient "))
        let output = outcrop("generate", "typescript", Files.demo, "--name", "My blog").output
        #expect(output.contains("\nexport class My_blogClient extends ObjectClient<My_blogDraft> {\n"))
    }

    @Test("--accounts names an entity of the model")
    func accounts() throws {
        #expect(outcrop("generate", "typescript", Files.demo, "--accounts", "User").output.contains("ServerAccounts"))
        let wrong = outcrop("generate", "typescript", Files.demo, "--accounts", "Usr")
        #expect(wrong.status == .problems && wrong.errors.contains("“Usr”") && wrong.errors.contains("“User”"))
    }

    @Test("a model with errors generates nothing, and the errors are shown")
    func broken() throws {
        try Checkout.withFolder { folder in
            let model = folder + "/Broken.json"
            try Files.write(#"{"entities": {"A": {"relationships": {"b": "B"}}}}"#, to: model)
            let result = outcrop("generate", "typescript", model, "-o", folder + "/a.ts")
            #expect(result.status == .problems && result.output.isEmpty && result.errors.contains("A.b: error: "))
            #expect(result.errors.hasSuffix("outcrop: \(model) has errors, so no TypeScript can be generated for it."))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Broken.json"])
        }
    }

    @Test("a file that wasn't generated is never overwritten")
    func handWritten() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/demo.ts"
            try Files.write("// mine", to: path)
            #expect(
                outcrop("generate", "typescript", Files.demo, "-o", path).errors == """
                    outcrop: \(path): The existing file was not generated, and is not overwritten.
                    Remove it, or write to another path.
                    """
            )
            #expect(try Self.text(path) == "// mine")
            try Files.write("", to: path)
            #expect(outcrop("generate", "typescript", Files.demo, "-o", path).status == .fine)
            #expect(outcrop("generate", "typescript", Files.demo, "-o", "").errors.contains("The path is empty"))
        }
    }
}
