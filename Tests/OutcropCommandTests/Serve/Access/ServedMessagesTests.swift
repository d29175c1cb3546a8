// SPDX-License-Identifier: Apache-2.0

// The program as a server that sends messages to accounts.

import Foundation
import HTTPMessage
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Messages of a server to accounts")
struct ServedMessagesTests {
    private static let model = """
        {
          "entities": {
            "User": {
              "attributes": {
                "email": "String", "passwordHash": "String?", "isVerified": {"type": "Bool", "default": false}
              },
              "unique": ["email"],
              "userInfo": {"path": "users"}
            }
          }
        }
        """

    private static func rules(_ messages: String) -> String {
        """
        {
          "identity": {
            "accounts": {
              "entity": "User", "name": "email", "password": "passwordHash", "baseRole": "member",
              "verified": "isVerified"\(messages)
            },
            "anonymous": "public"
          },
          "roles": {"public": {}, "member": {"extends": ["public"]}},
          "rules": {"User": {
            "create": {"public": true}, "read": {"member": "SELF == $USER"}, "update": {"member": "SELF == $USER"}
          }}
        }
        """
    }

    private static func messages(_ authority: String, _ secret: String = #"{"file": "mail.secret"}"#) -> String {
        #", "messages": {"url": "http://\#(authority)/mail", "secret": \#(secret)}"#
    }

    /// Starts a server, with the secret of its messages in a file.
    private static func server(in folder: String, _ rules: String, allowing host: String) throws -> ServerProcess {
        try Files.write(model, to: folder + "/Model.json")
        try Files.write(rules, to: folder + "/access.json")
        try Files.write("0123456789abcdef0123456789abcdef\n", to: folder + "/mail.secret")
        return try ServerProcess(
            in: folder,
            serving: ["--model", folder + "/Model.json", "--store", "sqlite:\(folder)/App.sqlite"],
            ["--listen", "127.0.0.1:0", "--access", folder + "/access.json", "--hook-hosts", host]
        )
    }

    private static func post(_ server: ServerProcess, _ path: String, _ json: String) throws -> (String, JSONValue) {
        let answer = try server.curl("--json", json, server.address() + "/api/auth/" + path)
        return (answer.status, (try? JSONValue(parsing: answer.body)) ?? .null)
    }

    private static func wait(for count: Int, _ receiver: HookReceiver) {
        for _ in 0..<500 where receiver.requests.count < count { usleep(20_000) }
    }

    @Test("a sign-up and a reset send tokens to the webhook, which verify the name and set another password")
    func sending() throws {
        try Checkout.withFolder { folder in
            let receiver = try HookReceiver()
            let rules = Self.rules(Self.messages(receiver.authority))
            let server = try Self.server(in: folder, rules, allowing: receiver.authority)
            let account = #"{"name": "ana@example.org", "password": "correct horse"}"#
            let (status, tokens) = try Self.post(server, "sign-up", account)
            #expect(status == "201", "\(tokens)")
            Self.wait(for: 1, receiver)
            #expect(try Self.post(server, "reset", #"{"name": "ana@example.org"}"#).0 == "202")
            #expect(try Self.post(server, "reset", #"{"name": "bo@example.org"}"#).0 == "202")
            Self.wait(for: 2, receiver)
            let requests = receiver.requests
            try #require(requests.count == 2)
            #expect(requests.map { $0.json["kind"] } == ["verify", "reset"])
            #expect(requests.allSatisfy { $0.json.object?.names == ["kind", "account", "name", "token", "expires"] })
            #expect(requests.allSatisfy { $0.json["name"] == "ana@example.org" && $0.target == "/mail" })
            #expect(requests[0].json["account"] == tokens["user"]?["_id"])
            #expect(requests[0].fields["Outcrop-Signature"]?.hasPrefix("sha256=") == true)
            let sent = requests.compactMap { $0.json["token"]?.string }
            #expect(try Self.post(server, "verify", #"{"token": "\#(sent[0])"}"#).0 == "204")
            let confirmation = #"{"token": "\#(sent[1])", "password": "another horse"}"#
            #expect(try Self.post(server, "reset/confirm", confirmation).0 == "204")
            #expect(try Self.post(server, "reset/confirm", confirmation).0 == "401")
            #expect(try Self.post(server, "sign-in", account).0 == "401")
            let other = try Self.post(server, "sign-in", account.replacingOccurrences(of: "correct", with: "another"))
            #expect(other.0 == "200" && other.1["user"]?["isVerified"] == true, "\(other.1)")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
            let log = try String(contentsOfFile: server.log, encoding: .utf8)
            for secret in sent + ["0123456789abcdef", "horse"] { #expect(!log.contains(secret)) }
        }
    }

    @Test("messages are sent when the receiver works again, and SIGHUP turns them on")
    func failures() throws {
        try Checkout.withFolder { folder in
            let receiver = try HookReceiver { _ in HTTPResponse(.serviceUnavailable) }
            let server = try Self.server(in: folder, Self.rules(""), allowing: receiver.authority)
            let account = #"{"name": "ana@example.org", "password": "correct horse"}"#
            #expect(try Self.post(server, "sign-up", account).0 == "201")
            let refused = try Self.post(server, "reset", #"{"name": "ana@example.org"}"#)
            #expect(refused.0 == "501" && refused.1["hint"]?.string?.contains("identity.accounts.messages") == true)
            try Files.write(Self.rules(Self.messages(receiver.authority)), to: folder + "/access.json")
            server.signal(SIGHUP)
            for _ in 0..<500 where try server.events().allSatisfy({ $0["event"] != "access" }) { usleep(20_000) }
            #expect(try Self.post(server, "reset", #"{"name": "ana@example.org"}"#).0 == "202")
            Self.wait(for: 1, receiver)
            receiver.answer { _ in HTTPResponse(.noContent) }
            Self.wait(for: 2, receiver)
            #expect(Set(receiver.requests.compactMap { $0.fields["Outcrop-Delivery"] }).count == 1)
            let failure = try server.event("hook")
            #expect(failure["hook"] == "accounts")
            #expect(failure["message"]?.string?.contains("failed, and is tried again") == true, "\(failure)")
        }
    }

    @Test(
        "mistakes in the receiver keep a server from starting",
        arguments: [
            (
                #"{"url": "http://mail.example/x", "secret": "0123456789abcdef"}"#,
                "url: Messages may not be sent to mail.example."
            ),
            (
                #"{"url": "mailto:x", "secret": "0123456789abcdef"}"#,
                "url: The address begins with neither https:// nor http://."
            ),
            (#"{"url": "http://a.example/", "secret": "short"}"#, "secret: The secret has 5 bytes, fewer than 16."),
            (
                #"{"url": "http://a.example/", "secret": {"file": "none"}}"#,
                "secret: The file “FOLDER/none” of the secret can't be read."
            ),
            (
                #"{"url": "http://a.example/", "secret": {"variable": "OUTCROP_NONE"}}"#,
                "secret: The variable OUTCROP_NONE of the secret isn't set."
            ),
        ]
    )
    func mistakes(messages: String, problem: String) throws {
        try Checkout.withFolder { folder in
            try Files.write(Self.model, to: folder + "/Model.json")
            try Files.write(Self.rules(#", "messages": \#(messages)"#), to: folder + "/access.json")
            let result = Program.run(
                [
                    "serve", "--model", folder + "/Model.json", "--store", "memory", "--check", "--json",
                    "--access", folder + "/access.json", "--hook-hosts", "a.example",
                ],
                on: .plain
            )
            let expected = "identity.accounts.messages." + problem.replacingOccurrences(of: "FOLDER", with: folder)
            #expect(result.status == .problems)
            let problems = result.json?["problems"]?.array?.map { $0["message"]?.string }
            #expect(problems == [expected], "\(result.output)")
        }
    }
}
