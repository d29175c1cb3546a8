// SPDX-License-Identifier: Apache-2.0

// A model with accounts, and requests to an API with it.

import Cryptography
import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Synchronization
import Testing

@testable import RESTAPI

/// The accounts of an API, with a clock that can be set, and the messages that were sent.
struct AccountWorld {
    let world: APIWorld
    let outside: Outside

    final class Outside: Sendable {
        let messages = Mutex<[AccountMessage]>([])
        let seconds = Mutex(0.0)
        let key = AccountKey()
        /// Called once, when the time is next asked for: in a sign-in, between the check of the password and the session.
        let onTime = Mutex<(@Sendable () -> Void)?>(nil)

        let sessions = AccountSessions()

        var sessionCount: Int { sessions.count }

        func accounts() throws -> Accounts {
            try Accounts(
                key: key,
                sessions: sessions,
                cost: AccountWorld.cost,
                now: {
                    let body = self.onTime.withLock { body in
                        defer { body = nil }
                        return body
                    }
                    body?()
                    return .now + self.seconds.withLock(\.self)
                },
                clock: { .now + .seconds(self.seconds.withLock(\.self)) },
                onMessage: { message in self.messages.withLock { $0.append(message) } }
            )
        }
    }

    static let model = Model {
        Entity("User", userInfo: ["path": "users"]) {
            Attribute("email", .string).length(3...100)
            Attribute("passwordHash", .string).optional()
            Attribute("role", .string).optional()
            Attribute("isVerified", .bool).default(false)
            Attribute("name", .string).optional().length(2...20)
            Relationship("notes", toMany: "Note", inverse: "owner", deleteRule: .cascade).optional()
            UniquenessConstraint("email")
        }
        Entity("Note", userInfo: ["path": "notes"]) {
            Attribute("text", .string)
            Attribute("isPublic", .bool).default(false)
            Relationship("owner", toOne: "User", inverse: "notes").optional()
        }
        FetchRequestTemplate("byHash", entity: "User", predicate: "passwordHash BEGINSWITH $BEGINNING")
    }

    /// Everyone signs up as a member, who sees its own object and notes.
    static let access = """
        {
          "identity": {
            "accounts": {
              "entity": "User", "name": "email", "password": "passwordHash", "roles": "role", "baseRole": "member",
              "verified": "isVerified",
              "messages": {"url": "https://mail.example/accounts", "secret": "0123456789abcdef"}
            },
            "anonymous": "public"
          },
          "roles": {
            "public": {}, "member": {"extends": ["public"]}, "editor": {"extends": ["member"]},
            "admin": {"administers": true}
          },
          "rules": {
            "User": {
              "create": {"public": true}, "read": {"member": "SELF == $USER", "editor": true},
              "update": {"member": "SELF == $USER"}, "delete": {"member": "SELF == $USER"}
            },
            "Note": {
              "read": {"public": "isPublic == YES", "member": "owner == $USER", "editor": true},
              "create": {"member": "owner == $USER"}, "set": {"owner": "$USER"}
            }
          }
        }
        """

    static func each(
        _ model: Model = model,
        options: APIOptions = APIOptions(),
        access: String? = access,
        _ body: (AccountWorld) throws -> Void
    ) throws {
        let accounts = TestAccounts()
        let fillNothing: (PersistentStoreCoordinator) -> Void = { _ in }
        try APIWorld.each(model, options: options, access: access, accounts: accounts, filling: fillNothing) {
            world throws in
            try body(AccountWorld(world: world, outside: try #require(accounts.last)))
        }
    }

    static let password = "correct horse"
    static let cost = PasswordHash.Cost(exponent: 4, blockSize: 8, parallelism: 1)

    /// Sends a request to `/api/auth`, with an access token or another credential.
    func send(_ name: String, _ json: String?, as token: String? = nil) throws -> Answer {
        try world.send(
            as: token,
            json == nil && name == "me" ? .get : .post,
            "/api/auth/\(name)",
            json ?? (name == "me" ? nil : "{}")
        )
    }

    @discardableResult
    func signUp(_ name: String, _ others: String = "") throws -> Tokens {
        try Tokens(send("sign-up", #"{"name": "\#(name)", "password": "\#(Self.password)"\#(others)}"#))
    }

    func signIn(_ name: String, _ password: String = password) throws -> Tokens {
        try Tokens(send("sign-in", #"{"name": "\#(name)", "password": "\#(password)"}"#))
    }

    func refresh(_ token: String) throws -> Answer {
        try send("refresh", #"{"refreshToken": "\#(token)"}"#)
    }

    func me(_ token: String?) throws -> Answer { try send("me", nil, as: token) }

    /// Lets time pass, for tokens and waits.
    func wait(_ seconds: Double) { outside.seconds.withLock { $0 += seconds } }

    var messages: [AccountMessage] { outside.messages.withLock(\.self) }

    /// The values of an attribute as they are stored, by the accounts' names.
    func stored(_ attribute: String) throws -> [String: Value] {
        try world.coordinator.withContext { context in
            var values: [String: Value] = [:]
            for user in try context.fetch(FetchRequest<ManagedObject>("User")) {
                guard case .string(let name) = try user.value(forKey: "email") else { continue }
                values[name] = try user.value(forKey: attribute)
            }
            return values
        }
    }

    /// Changes an attribute of an account, as an administrator of the store does.
    func set(_ attribute: String, _ value: Value, of name: String) throws {
        try world.coordinator.withContext { context in
            let request = FetchRequest<ManagedObject>("User", predicate: try ObjectPredicate("email == %@", name))
            try #require(context.fetch(request).first).setValue(value, forKey: attribute)
            try context.save()
        }
    }
}

/// Makes accounts for one world after the other.
final class TestAccounts {
    private(set) var last: AccountWorld.Outside?

    func next() throws -> Accounts {
        let outside = AccountWorld.Outside()
        last = outside
        return try outside.accounts()
    }
}

/// The answer to a sign-in.
struct Tokens {
    let token: String
    let refreshToken: String
    let user: JSONValue

    init(_ answer: Answer) throws {
        try #require(answer.status == 200 || answer.status == 201, "\(answer.text)")
        token = try #require(answer["token"]?.string)
        refreshToken = try #require(answer["refreshToken"]?.string)
        user = try #require(answer["user"])
    }
}
