// SPDX-License-Identifier: Apache-2.0

// What is here: `GET /api`.

import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

extension API {
    /// The entities, the named queries, the stores, and where all else is.
    var index: JSONValue {
        [
            "title": .string(options.title),
            "version": .string(options.version),
            "entities": .array(catalogue.described.resources.map(describe)),
            "queries": .array(catalogue.described.model.model.fetchRequestTemplates.map(describe)),
            "stores": .array(access == nil ? coordinator.stores.map(describe) : []),
            "links": .object(JSONObject(links + (accounts == nil ? [] : accountLinks))),
        ]
    }

    private var links: [(String, JSONValue)] {
        [
            ("model", "/api/model"), ("queries", "/api/queries"), ("transaction", "/api/transaction"),
            ("contexts", "/api/contexts"), ("stats", "/api/stats"), ("metrics", "/metrics"),
            ("openapi", "/openapi.json"), ("problems", "/problems"), ("health", "/healthz"), ("readiness", "/readyz"),
        ]
    }

    private var accountLinks: [(String, JSONValue)] {
        [
            ("signUp", "/api/auth/sign-up"), ("signIn", "/api/auth/sign-in"), ("refresh", "/api/auth/refresh"),
            ("signOut", "/api/auth/sign-out"), ("password", "/api/auth/password"), ("reset", "/api/auth/reset"),
            ("verify", "/api/auth/verify"), ("me", "/api/auth/me"),
        ]
    }

    private func describe(_ resource: Resource) -> JSONValue {
        let path = RequestTarget.encode(segment: resource.path)
        var members: [(String, JSONValue)] = [
            ("name", .string(resource.entity.name)), ("path", .string(resource.path)),
            ("href", .string("/api/\(path)")),
            ("schema", .string("/schemas/\(RequestTarget.encode(segment: resource.entity.name))")),
        ]
        if resource.entity.isAbstract { members.append(("abstract", true)) }
        if let parent = resource.entity.entity.parentName { members.append(("parent", .string(parent))) }
        let verbs = AccessVerb.allCases.filter { permits($0, resource) }
        if verbs != AccessVerb.allCases { members.append(("verbs", .array(verbs.map { .string($0.rawValue) }))) }
        let lists = [
            ("readOnly", unwritable(resource)), ("writeOnly", unreadable(resource)), ("set", forced(resource)),
        ]
        for (name, properties) in lists
        where !properties.isEmpty {
            members.append((name, .array(properties.map(JSONValue.string))))
        }
        return .object(JSONObject(members))
    }

    /// The properties that access rules don't permit to write, and those derived from what they hide.
    private func unwritable(_ resource: Resource) -> [String] {
        let served = access?.model.entity(named: resource.entity.name)
        return resource.properties.filter { property in
            let isDerived = served?.attribute(named: property.property.name)?.isDerived == true
            return !permitsWriting(property.property.name, of: resource)
                || isDerived && property.attribute?.isDerived == false
        }.map(\.name)
    }

    /// The password of accounts, which is in the model that those who administer get, and is never shown.
    private func unreadable(_ resource: Resource) -> [String] {
        guard access == nil, let accounts, accounts.isPassword(accounts.passwordMember, of: resource.entity) else {
            return []
        }
        return [accounts.passwordMember]
    }

    /// The properties that access rules set in new objects, whatever a request says.
    private func forced(_ resource: Resource) -> [String] {
        resource.properties.filter { isForced($0.property.name, of: resource) }.map(\.name)
    }

    private func describe(_ template: FetchRequestTemplate) -> JSONValue {
        [
            "name": .string(template.name), "entity": .string(template.entityName),
            "href": .string("/api/queries/\(RequestTarget.encode(segment: template.name))"),
        ]
    }

    private func describe(_ store: any PersistentStore) -> JSONValue {
        var members: [(String, JSONValue)] = [("uuid", .string(store.identifier.uuidString))]
        if case .string(let type) = store.metadata.values[StoreMetadata.typeKey] {
            members.append(("type", .string(type)))
        }
        members.append(("readOnly", .bool(store.isReadOnly)))
        return .object(JSONObject(members))
    }
}
