// SPDX-License-Identifier: Apache-2.0

// A server with access rules, and what its tests ask it.

import Foundation
import JSON

@testable import OutcropCommand

/// A server of the demo with an access file.
struct AccessWorld {
    static let rules = """
        {
          "identity": {"anonymous": "public"},
          "roles": {"public": {}, "editor": {"extends": ["public"]}, "admin": {"administers": true}},
          "rules": {
            "Tag": {"read": {"public": true}, "create": {"editor": true}, "update": {"editor": true}},
            "Post": {"read": {"public": "published == YES"}}
          }
        }
        """

    let folder: String
    let server: ServerProcess
    let address: String

    /// - Parameter served: The options of other stores, instead of demo data.
    init(_ folder: String, _ rules: String = Self.rules, serving served: [String]? = nil, _ options: String...) throws {
        self.folder = folder
        try Files.write(rules, to: folder + "/access.json")
        server = try ServerProcess(
            in: folder,
            serving: served,
            ["--listen", "127.0.0.1:0", "--access", folder + "/access.json"] + options
        )
        address = try server.address()
    }

    func status(_ path: String, _ arguments: String...) throws -> String {
        try server.curl(arguments + [address + path]).status
    }

    /// The path of an object.
    func object(in path: String, _ arguments: String...) throws -> String {
        let answer = try server.curl(arguments + [address + "/api/\(path)?limit=1&result=ids"]).body
        return "/api/" + (try JSONValue(parsing: answer)["items"]?[0]?.string ?? "")
    }

    func key(_ words: String...) throws -> String {
        let result = Program.run(["keys", "add", folder + "/Demo.sqlite"] + words, on: .plain)
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Waits until a request has a status, for as long as a change of keys may take.
    func wait(for status: String, _ path: String, _ arguments: String...) throws -> Bool {
        let end = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < end {
            if try server.curl(arguments + [address + path]).status == status { return true }
            usleep(50_000)
        }
        return false
    }

    func events(_ name: String) throws -> [JSONValue] {
        try server.events().filter { $0["event"]?.string == name }
    }

    func reload(_ rules: String, expecting count: Int) throws -> String {
        try Files.write(rules, to: folder + "/access.json")
        server.signal(SIGHUP)
        for _ in 0..<500 where try events("access").count < count { usleep(20_000) }
        return try events("access").last?["message"]?.string ?? ""
    }
}
