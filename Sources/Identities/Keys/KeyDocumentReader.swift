// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JSON
import SourceText

/// Reads the document of a file of keys. Errors have the line and column as their place.
struct KeyDocumentReader {
    private static let members = ["id", "name", "roles", "grants", "created", "expires", "lastUse", "sha256"]
    private static let hashCount = 32

    func keys(in bytes: [UInt8]) throws(IdentityError) -> [APIKey] {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(depth: 8))
        } catch {
            throw IdentityError(.invalidFile, error.message, place: "\(error.position)")
        }
        guard let list = value["keys"]?.array, value.object?.count == 1 else {
            throw invalid(value, "A file of keys is an object with the member “keys”, a list.")
        }
        var keys: [APIKey] = []
        var taken: Set<String> = []
        var hashes: Set<[UInt8]> = []
        for value in list {
            let key = try key(value)
            guard taken.insert("id \(key.id)").inserted else { throw invalid(value, "Another key has this ID.") }
            if let name = key.name, !taken.insert("name \(name)").inserted {
                throw invalid(value, "Another key is called “\(name)”.")
            }
            guard hashes.insert(key.hash).inserted else { throw invalid(value, "Another key has this “sha256”.") }
            keys.append(key)
        }
        return keys
    }

    private func key(_ value: JSONValue) throws(IdentityError) -> APIKey {
        guard let object = value.object else { throw invalid(value, "A key must be an object.") }
        if let other = object.members.first(where: { !Self.members.contains($0.name) }) {
            throw IdentityError(
                .invalidFile,
                "A key has no “\(other.name.printable())”.",
                hint: Spelling.hint(for: other.name, among: Self.members),
                place: other.position.map { "\($0)" }
            )
        }
        guard let id = object["id"]?.string, id.isKeyName else { throw invalid(value, "The key has no valid “id”.") }
        if let name = object["name"], !(name.string?.isKeyName ?? false) {
            throw invalid(name, "“name” isn't a key's name.")
        }
        guard let hash = object["sha256"]?.string.flatMap(Base16.decode), hash.count == Self.hashCount else {
            throw invalid(object["sha256"] ?? value, "“sha256” must be 64 hexadecimal digits, in lower case.")
        }
        guard let created = try date("created", in: object) else { throw invalid(value, "The key has no “created”.") }
        return APIKey(
            id: id,
            name: object["name"]?.string,
            roles: try roles(object["roles"]),
            grants: try grants(object["grants"]),
            created: created,
            expires: try date("expires", in: object),
            lastUse: try date("lastUse", in: object),
            hash: hash
        )
    }

    private func roles(_ value: JSONValue?) throws(IdentityError) -> [String] {
        guard let value else { return [] }
        let roles = value.array?.compactMap(\.string)
        guard let roles, roles.count == value.array?.count, roles.allSatisfy(\.isRoleName) else {
            throw invalid(value, "“roles” must be a list of roles' names.")
        }
        return roles
    }

    private func grants(_ value: JSONValue?) throws(IdentityError) -> [String: Set<AccessVerb>] {
        guard let value else { return [:] }
        guard let object = value.object else { throw invalid(value, "“grants” must be an object.") }
        var grants: [String: Set<AccessVerb>] = [:]
        for member in object.members {
            let verbs = member.value.array?.compactMap { $0.string.flatMap(AccessVerb.init) }
            guard let verbs, !verbs.isEmpty, verbs.count == member.value.array?.count, member.name.isEntityName else {
                throw invalid(
                    member.value,
                    "The verbs of “\(member.name.printable())” must be some of read, create, update and delete."
                )
            }
            grants[member.name] = Set(verbs)
        }
        return grants
    }

    private func date(_ name: String, in object: JSONObject) throws(IdentityError) -> Date? {
        guard let value = object[name] else { return nil }
        guard let date = value.string.flatMap(Date.init(iso8601:)) else {
            throw invalid(value, "“\(name)” must be a date, such as 2030-12-31T00:00:00Z.")
        }
        return date
    }

    private func invalid(_ value: JSONValue, _ message: String) -> IdentityError {
        IdentityError(.invalidFile, message, place: value.position.map { "\($0)" })
    }
}
