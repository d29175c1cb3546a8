// SPDX-License-Identifier: Apache-2.0

// The two models of the matrix, and the rules and objects of its tests.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

@testable import RESTAPI

/// A model of the matrix, and the names that stand for those in braces.
struct MatrixModel: Sendable {
    let model: Model
    let fill: @Sendable (PersistentStoreCoordinator) throws -> Void
    let entity: String
    let path: String
    /// The property that rules are about, a value that it has and another one, and a text that shows the value.
    let property: String
    let value: Value
    let newValue: String
    let secret: String
    /// The names of other properties, by the words in braces.
    let names: [String: String]
    /// A condition that the objects of rows don't satisfy, and values by which they don't.
    let condition: String
    let hidden: [String: Value]
    /// The part of an access file about accounts, or nothing.
    let accounts: String

    static let blog = MatrixModel(
        model: Blog.model,
        fill: { _ in },
        entity: "Post",
        path: "posts",
        property: "rating",
        value: .double(4711.5),
        newValue: "2",
        secret: "4711.5",
        names: [
            "bytes": "picture", "toOne": "author", "toMany": "tags", "inverse": "posts", "fetched": "others",
            "query": "popular?VIEWS=0&limit=1000", "ownerEntity": "User", "memberEntity": "Tag",
        ],
        condition: "published == YES",
        hidden: ["published": .bool(false)],
        accounts: ""
    )

    /// Tenants share a store; an identity sees what belongs to its own.
    static let tenants = MatrixModel(
        model: Model {
            Entity("Person", userInfo: ["path": "people"]) {
                Attribute("name", .string)
                Attribute("email", .string).optional()
                Attribute("passwordHash", .string).optional()
                Relationship("documents", toMany: "Document", inverse: "owner").optional()
                UniquenessConstraint("email")
            }
            Entity("Label", userInfo: ["path": "labels"]) {
                Attribute("name", .string)
                Relationship("documents", toMany: "Document", inverse: "labels").optional()
            }
            Entity("Document", userInfo: ["path": "documents"]) {
                Attribute("title", .string)
                Attribute("tenant", .string).default("own")
                Attribute("salary", .string).optional()
                Attribute("scan", .binary).optional()
                Relationship("owner", toOne: "Person", inverse: "documents").optional()
                Relationship("labels", toMany: "Label", inverse: "documents").optional()
                FetchedProperty("related", of: "Document", predicate: "owner == $FETCH_SOURCE.owner")
            }
            FetchRequestTemplate("ofTenants", entity: "Document", predicate: "tenant != $TENANT")
        },
        fill: { _ in },
        entity: "Document",
        path: "documents",
        property: "salary",
        value: "s3cr3t salary",
        newValue: #""other""#,
        secret: "s3cr3t salary",
        names: [
            "bytes": "scan", "toOne": "owner", "toMany": "labels", "inverse": "documents", "fetched": "related",
            "query": "ofTenants?TENANT=none&limit=1000", "ownerEntity": "Person", "memberEntity": "Label",
        ],
        condition: "tenant == $CLAIMS.email",
        hidden: ["tenant": "foreign"],
        accounts: #""accounts": {"entity": "Person", "name": "email", "password": "passwordHash"}"#
    )

    // MARK: Rules

    func access(under rules: MatrixRules) -> String {
        let all = #"{"member": true}"#
        let some = #"{"member": "\#(condition)"}"#
        var verbs = ["read": all, "create": all, "update": all, "delete": all]
        var properties = ""
        switch rules {
        case .everythingPermitted, .administration: break
        case .nothingPermitted: verbs = [:]
        case .readingDenied: verbs["read"] = nil
        case .creationDenied: verbs["create"] = nil
        case .updateDenied: verbs["update"] = nil
        case .deletionDenied: verbs["delete"] = nil
        case .rowHidden: verbs["read"] = some
        case .rowFixed:
            verbs["update"] = #"{"member": {"where": "\#(condition)"}}"#
            verbs["delete"] = some
        case .propertyHidden: properties = #", "properties": {"\#(property)": {"read": []}}"#
        case .propertyFixed: properties = #", "properties": {"\#(property)": {"write": []}}"#
        }
        let own = verbs.sorted { $0.key < $1.key }.map { #""\#($0)": \#($1)"# }.joined(separator: ", ")
        let others = model.entities.map(\.name).filter { $0 != entity }.map { name in
            #""\#(name)": {"read": \#(all), "create": \#(all), "update": \#(all), "delete": \#(all)}"#
        }
        let main = verbs.isEmpty ? [] : [#""\#(entity)": {\#(own)\#(properties)}"#]
        return """
            {
              "identity": {\(accounts)}, "roles": {"member": {}, "admin": {"administers": true}},
              "rules": {\((main + others).joined(separator: ", "))}
            }
            """
    }

    // MARK: Objects

    /// Inserts an object with an owner and a member, which rules of rows don't permit.
    ///
    /// - Returns: What the words in braces stand for.
    func insert(_ title: String, into context: ManagedObjectContext, of api: API) throws -> [String: String] {
        func named(_ key: String) throws -> ManagedObject {
            let object = try context.insert(names[key] ?? "")
            try object.setValue("Name", forKey: "name")
            return object
        }
        let owner = try named("ownerEntity")
        let otherOwner = try named("ownerEntity")
        let own = try named("memberEntity")
        let member = try named("memberEntity")
        // Names of tags are unique.
        try own.setValue(.string(title.replacing("Title", with: "Own")), forKey: "name")
        try member.setValue(.string(title.replacing("Title", with: "Member")), forKey: "name")
        let object = try context.insert(entity)
        try object.setValue(.string(title), forKey: "title")
        try object.setValue(value, forKey: property)
        for (name, value) in hidden { try object.setValue(value, forKey: name) }
        try object.setValue(.data(Data([1, 2, 3])), forKey: names["bytes"] ?? "")
        try object.setObject(owner, forKey: names["toOne"] ?? "")
        try object.setObjects([own], forKey: names["toMany"] ?? "")
        try context.save()
        let references = [object, otherOwner, own, member].map { api.catalogue.reference(to: $0.objectID) }
        func key(_ reference: String) -> String { String(reference.split(separator: "/").last ?? "") }
        return [
            "title": title, "id": references[0], "otherOwner": references[1], "own": references[2],
            "member": references[3],
            "ownKey": key(references[2]), "memberKey": key(references[3]),
        ]
    }

    /// A text with names instead of the words in braces.
    func filled(_ text: String, _ objects: [String: String]) -> String {
        var text = text
        let own = ["entity": path, "Entity": entity, "property": property, "value": newValue]
        for (word, name) in objects.merging(names, uniquingKeysWith: { $1 }).merging(own, uniquingKeysWith: { $1 }) {
            text = text.replacing("{\(word)}", with: name)
        }
        return text
    }
}
