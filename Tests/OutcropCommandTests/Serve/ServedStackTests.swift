// SPDX-License-Identifier: Apache-2.0

// The served model and stores, by settings.

import AccessRules
import FoundationEssentials
import HTTPServer
import JSON
import ObjectGraph
import SQLiteDriver
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Served stack")
struct ServedStackTests {
    private func settings(_ change: (inout ServeSettings) throws -> Void) rethrows -> ServeSettings {
        var settings = ServeSettings()
        try change(&settings)
        return settings
    }

    @Test("the demo is in memory, with the demo model and the requested number of objects")
    func demo() throws {
        let stack = try ServedStack(
            opening: settings {
                $0.demo = true
                $0.demoSize = 500
            }
        )
        #expect(stack.modelName == "Demo" && stack.storeNames == ["memory:"])
        #expect((300...900).contains(stack.objects))
        #expect(stack.counts.map(\.entity.name).contains("Post"))
    }

    @Test("the log counts all entities, including abstract ones")
    func countedEntities() throws {
        let stack = try ServedStack(
            opening: settings {
                $0.demo = true
                $0.demoSize = 200
            }
        )
        let entities = stack.coordinator.model.entities
        #expect(entities.contains { $0.isAbstract })
        #expect(StartupMessage(stack: stack, addresses: []).line.contains(", \(entities.count) entities, "))
    }

    @Test("a store whose creation was interrupted before it had tables is created")
    func interrupted() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Demo.sqlite"
            let connection = try Connection(path: path, access: .create)
            try connection.execute("CREATE TABLE t (a)")
            try connection.execute("DROP TABLE t")
            let choice = try StoreChoice(path)
            let settings = settings {
                $0.demo = true
                $0.demoSize = 200
                $0.stores = [choice]
            }
            #expect(Program.run(["serve", "--demo", "--store", path, "--check"], on: .plain).status == .fine)
            #expect(try ServedStack(opening: settings).objects > 100)
        }
    }

    @Test("a demo in a file is created once, and served later with the model that the file carries")
    func demoFile() throws {
        try Checkout.withFolder { folder in
            let store = try StoreChoice(folder + "/Demo.sqlite")
            let first = try ServedStack(
                opening: settings {
                    $0.demo = true
                    $0.demoSize = 200
                    $0.stores = [store]
                }
            )
            let again = try ServedStack(
                opening: settings {
                    $0.demo = true
                    $0.demoSize = 400
                    $0.stores = [store]
                }
            )
            #expect(again.objects == first.objects)
            let carried = try ServedStack(opening: settings { $0.stores = [store] })
            #expect(carried.objects == first.objects && carried.modelName == "Demo")
            let readOnly = try ServedStack(
                opening: settings {
                    $0.stores = [store]
                    $0.readOnly = true
                }
            )
            #expect(!readOnly.coordinator.stores.contains { !$0.isReadOnly })
        }
    }

    @Test("stores of several kinds hold the configurations assigned to them")
    func configurations() throws {
        try Checkout.withFolder { folder in
            let stack = try ServedStack(
                opening: settings {
                    $0.model = Files.demo
                    $0.demo = true
                    $0.demoSize = 100
                    $0.stores = try [
                        StoreChoice("Content=\(folder)/Content.sqlite"),
                        StoreChoice("Analytics=xml:\(folder)/Visits.xml"),
                    ]
                }
            )
            #expect(stack.coordinator.stores.count == 2)
            #expect(FileManager.default.fileExists(atPath: folder + "/Visits.xml"))
            #expect(stack.counts.allSatisfy { $0.objects > 0 })
        }
    }

    @Test("an unknown configuration is refused")
    func unknownConfiguration() throws {
        #expect(throws: (any Error).self) {
            try ServedStack(
                opening: settings {
                    $0.demo = true
                    $0.stores = try [StoreChoice("Contents=memory:")]
                }
            )
        }
    }

    @Test("the greeting names the addresses, the model and stores, and a request to try")
    func greeting() throws {
        let stack = try ServedStack(
            opening: settings {
                $0.demo = true
                $0.demoSize = 100
            }
        )
        let greeting = StartupMessage(
            stack: stack,
            addresses: [.tcp(host: "127.0.0.1", port: 8080), .tcp(host: "::1", port: 81), .unix(path: "/run/o.sock")]
        )
        let text = greeting.text.rendered(on: .plain)
        #expect(text.contains("serves Demo from memory:"))
        #expect(text.contains("  http://127.0.0.1:8080\n  http://[::1]:81\n  unix:/run/o.sock\n\n"))
        #expect(text.contains("  The console is at http://127.0.0.1:8080/.\n"))
        #expect(greeting.line.hasSuffix(" The console is at http://127.0.0.1:8080/."))
        #expect(greeting.fields["pages"] == "console")
        #expect(text.contains("/api/posts") && text.contains("curl 'http://127.0.0.1:8080/api/"))
        #expect(greeting.fields["entities"]?["Post"]?.int64 ?? 0 > 0)
        let local = StartupMessage(stack: stack, addresses: [.unix(path: "/run/o.sock")]).text.rendered(on: .plain)
        #expect(local.contains("curl --unix-socket /run/o.sock 'http://localhost/api/"))
    }

    @Test(
        "under access rules the greeting's request is one that is answered",
        arguments: [
            (
                #"{"identity": {"anonymous": "all"}, "roles": {"all": {}}, "rules": {"Tag": {"read": {"all": true}}}}"#,
                "Try:\n  curl 'http://127.0.0.1:8080/api/tags?limit=2'\n"
            ),
            (
                #"{"roles": {"a": {}, "b": {}, "c": {"extends": ["b"]}}, "rules": {"Tag": {"read": {"c": true}}}}"#,
                "Try:\n  KEY=$(outcrop keys add App.sqlite --role c)\n  curl -H \"Authorization: Bearer $KEY\" 'http://127.0.0.1:8080/api/tags?"
            ),
            (
                #"{"roles": {"a": {}, "b": {"administers": true}}, "rules": {"Tag": {"read": {"a": true}}}}"#,
                "Try:\n  KEY=$(outcrop keys add App.sqlite --role b)\n  curl -H \"Authorization: Bearer $KEY\" 'http://127.0.0.1:8080/api/"
            ),
            (
                #"{"identity": {"anonymous": "all"}, "roles": {"all": {}}, "rules": {"User": {"create": {"all": true}}}}"#,
                "Try:\n  curl 'http://127.0.0.1:8080/api/auth/sign-up' --json '{\"name\":"
            ),
        ]
    )
    func greetingUnderRules(access: String, example: String) throws {
        let stack = try ServedStack(opening: settings { $0.demo = true })
        var policy = try AccessPolicy(parsing: Array(access.utf8), for: stack.coordinator.model.model)
        policy.identity.accounts = AccountSettings(entity: "User", name: "username", password: "bio")
        var greeting = StartupMessage(stack: stack, addresses: [.tcp(host: "127.0.0.1", port: 8080)])
        greeting.policy = policy
        greeting.storeOfKeys = "App.sqlite"
        #expect(greeting.text.rendered(on: .plain).contains(example), "\(greeting.text.rendered(on: .plain))")
    }
}
