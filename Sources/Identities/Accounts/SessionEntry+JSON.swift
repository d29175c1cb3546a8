// SPDX-License-Identifier: Apache-2.0

// Entries of a file of sessions as JSON.

import FoundationEssentials
import JSON
import SourceText

extension SessionEntry {
    /// The entry as a line, with a line break.
    var line: [UInt8] {
        let value: JSONValue =
            switch self {
            case .session(let session):
                [
                    "session": .string(session.id), "account": .string(session.account),
                    "created": Self.json(session.created), "used": Self.json(session.used),
                    "expires": Self.json(session.expires), "sha256": .string(Base16.encode(session.hash)),
                ]
            case .ended(let ids): ["ended": .array(ids.map(JSONValue.string))]
            }
        return value.serializedBytes() + Array("\n".utf8)
    }

    /// Nil for a line that isn't an entry.
    init?(line: [UInt8]) {
        guard let value = try? JSONValue(parsing: line, limits: JSONLimits(depth: 4)) else { return nil }
        if let ended = value["ended"]?.array {
            let ids = ended.compactMap(\.string)
            guard ids.count == ended.count else { return nil }
            self = .ended(ids)
            return
        }
        guard let id = value["session"]?.string, let account = value["account"]?.string,
            let created = Self.date(value["created"]), let used = Self.date(value["used"]),
            let expires = Self.date(value["expires"]), let hash = value["sha256"]?.string.flatMap(Base16.decode)
        else { return nil }
        self = .session(
            AccountSession(id: id, account: account, created: created, used: used, expires: expires, hash: hash)
        )
    }

    private static func json(_ date: Date) -> JSONValue { DateText.text(date).map(JSONValue.string) ?? .null }

    private static func date(_ value: JSONValue?) -> Date? { value?.string.flatMap(Date.init(iso8601:)) }
}
