// SPDX-License-Identifier: Apache-2.0

// `outcrop keys list`

import Arguments
import FoundationEssentials
import Identities
import JSON
import ObjectGraph
import Predicates
import SourceText

extension KeysCommand {
    static let list = Command<Action>(
        "list",
        "Show a store's keys, without the keys themselves.",
        discussion: """
            The last use of a key is recorded to within a minute by the servers that accept it.
            """,
        examples: [Example("outcrop keys list App.sqlite")],
        exitCodes: StoreCommand.exitCodes,
        parameters: [store]
    ) { parsed, terminal in
        let now = Date.now
        let keys: [APIKey]
        let file = try file(of: parsed[store])
        do throws(IdentityError) { keys = try file.list() } catch { throw Failure(error) }
        let json = JSONValue.array(keys.map { .object($0.outline(now: now)) })
        guard !keys.isEmpty else { return Report(text: "There are no keys.", json: json) }
        return Report(text: table(of: keys, now: now).text(on: terminal), json: json)
    }

    private static func table(of keys: [APIKey], now: Date) -> FetchTable {
        func value(_ text: String?) -> Value { text.map(Value.string) ?? .null }
        return FetchTable(
            columns: ["id", "name", "roles", "entities", "created", "expires", "last use"],
            rows: keys.map { key in
                [
                    .string(key.id), value(key.name), .string(key.roles.joined(separator: ",")),
                    .string(key.grantWords.joined(separator: " ")), value(DateText.text(key.created)),
                    value(key.hasExpired(at: now) ? "expired" : key.expires.flatMap(DateText.text)),
                    value(key.lastUse.flatMap(DateText.text)),
                ]
            }
        )
    }
}

extension APIKey {
    /// The key in JSON, without its hash.
    func outline(now: Date) -> JSONObject {
        var json: JSONObject = ["id": .string(id)]
        json["name"] = name.map(JSONValue.string)
        json["roles"] = .array(roles.map(JSONValue.string))
        json["entities"] = .object(
            JSONObject(
                sortedGrants.map { ($0.entity, .array($0.verbs.map { .string($0.rawValue) })) }
            )
        )
        json["created"] = DateText.text(created).map(JSONValue.string)
        json["expires"] = expires.flatMap(DateText.text).map(JSONValue.string)
        if expires != nil { json["expired"] = .bool(hasExpired(at: now)) }
        json["lastUse"] = lastUse.flatMap(DateText.text).map(JSONValue.string)
        return json
    }

    fileprivate var grantWords: [String] {
        sortedGrants.map { $0.entity + ":" + $0.verbs.map(\.rawValue).joined(separator: ",") }
    }

    private var sortedGrants: [(entity: String, verbs: [AccessVerb])] {
        grants.sorted { $0.key < $1.key }.map { ($0.key, AccessVerb.sorted($0.value)) }
    }
}
