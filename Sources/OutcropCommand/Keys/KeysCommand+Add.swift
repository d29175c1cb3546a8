// SPDX-License-Identifier: Apache-2.0

// `outcrop keys add`

import Arguments
import FoundationEssentials
import Identities
import JSON
import SQLiteStore
import SourceText

extension KeysCommand {
    private static let name = Option<String?>("name", "A name for the key, which no other key of the store has.")
    private static let roles = Option<[String]>("role", "A role of the key.")
    private static let entities = Option<[EntityGrant]>(
        "entity",
        value: "ENTITY:VERBS",
        "What the key may do with objects of an entity, besides its roles, such as Post:read,create."
    )
    private static let access = Option<String?>(
        "access",
        value: "FILE",
        "The access file of the server, to check that it has the roles.",
        completion: AccessFiles.completion
    )
    private static let expires = Option<KeyExpiry?>(
        "expires",
        value: "TIME",
        "When the key expires: a date, such as 2030-12-31T00:00:00Z, or the time from now on, such as 30d."
    )

    static let add = Command<Action>(
        "add",
        "Add a key, and print it once.",
        discussion: """
            The key is written to the standard output, and can't be shown again. It needs at least one role or entity. The verbs
            are read, create, update and delete. Servers with --access use it; without, a server serves everyone.
            """,
        examples: [
            Example("outcrop keys add App.sqlite --role editor --name deploy"),
            Example("outcrop keys add App.sqlite --role editor --access access.json"),
            Example("outcrop keys add App.sqlite --entity Post:read,create --expires 30d > key.txt"),
        ],
        exitCodes: StoreCommand.exitCodes,
        parameters: [store, name, roles, entities, expires, access]
    ) { parsed, _ in
        let location = parsed[store]
        let file = try file(of: location)
        try check(parsed[entities], of: location)
        if let access = parsed[access] { try check(parsed[roles], in: access) }
        let now = Date.now
        var new = NewAPIKey(name: parsed[name], roles: parsed[roles].uniqued)
        for grant in parsed[entities] { new.grants[grant.entity, default: []].formUnion(grant.verbs) }
        new.expires = parsed[expires]?.date(from: now)
        let key: APIKey
        let secret: String
        do throws(IdentityError) {
            (key, secret) = try file.add(new, now: now)
        } catch {
            throw Failure(error)
        }
        var json = key.outline(now: now)
        json["key"] = .string(secret)
        var report = Report(document: secret + "\n", json: .object(json))
        report.footer = {
            "Added the key \(key.name.map { "“\($0)”" } ?? key.id) to \(location.path). It isn't shown again: keep it as a "
                + "secret. It counts for servers with --access; others serve everyone."
        }
        return report
    }

    /// Checks that an access file has roles.
    private static func check(_ roles: [String], in access: String) throws {
        let known = try AccessFiles.roles(in: access)
        for role in roles where !known.contains(role) {
            throw Failure(
                "The access file has no role “\(role.printable())”.",
                hint: Spelling.hint(for: role, among: known)
                    ?? (known.isEmpty ? "It has no “roles”." : "Roles: \(known.joined(separator: ", "))."),
                code: "keys.unknownRole",
                file: access
            )
        }
    }

    /// Checks that a SQLite store has the entities, as far as it can be read without a model.
    private static func check(_ grants: [EntityGrant], of location: StoreLocation) throws {
        guard !grants.isEmpty, try location.existingKind() == .sqlite else { return }
        let entities = try StoreSummary(path: location.path).entities.map(\.name)
        for grant in grants where !entities.contains(grant.entity) {
            throw Failure(
                "The store has no entity “\(grant.entity.printable())”.",
                hint: Spelling.hint(for: grant.entity, among: entities),
                code: "keys.unknownEntity",
                file: location.path
            )
        }
    }
}

extension [String] {
    /// The elements without repetitions, in order.
    fileprivate var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
