// SPDX-License-Identifier: Apache-2.0

// What is said about a migration beyond names: expressions and conditions over the old objects.

import JSON
public import Predicates

/// Rules for a migration between two versions, by entity of the new one.
///
///     {"entities": {"Person": {
///         "from": "User", "where": "isActive == YES", "set": {"name": "firstName + ' ' + lastName"}
///     }}}
///
/// A model has rules in its user info, too: `migrationSource` and `migrationFilter` of an entity, `migrationValue` of a
/// property. Rules that are given take precedence.
public struct MappingRules: Hashable, Sendable {
    public struct EntityRules: Hashable, Sendable {
        /// The entity of the old version whose objects become these, if names don't say it.
        public var source: String?
        /// Objects for which this isn't true are deleted.
        public var filter: ObjectPredicate?
        /// By property.
        public var values: [String: ObjectExpression] = [:]

        public init() {}
    }

    public var entities: [String: EntityRules] = [:]
    /// What is wrong with the user info.
    private(set) var issues: [ModelIssue] = []

    public init() {}

    var isEmpty: Bool { entities.isEmpty && issues.isEmpty }
}

// MARK: JSON

extension MappingRules {
    /// Reads a mapping file. Throws what is wrong with it, and where.
    public init(json bytes: [UInt8], file: String? = nil) throws(ModelError) {
        let place = ModelIssue.Place(file: file)
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw ModelError(.syntax, at: place, "This isn't JSON: \(error.message)")
        }
        let hint =
            #"A mapping looks like {"entities": {"Person": {"from": "User", "where": "…", "set": {"name": "…"}}}}."#
        func unexpected(_ what: String) -> ModelError { ModelError(.mapping, at: place, what, hint: hint) }
        guard let members = json["entities"]?.object, json.object?.members.count == 1 else {
            throw unexpected("A mapping is an object with the member “entities”.")
        }
        for member in members.members {
            guard let object = member.value.object else { throw unexpected("“\(member.name)” must be an object.") }
            var rules = EntityRules()
            for rule in object.members {
                switch rule.name {
                case "from":
                    guard let name = rule.value.string else { throw unexpected("“from” is the name of an entity.") }
                    rules.source = name
                case "where":
                    rules.filter = try Self.predicate(rule.value.string ?? "", file, member.name)
                case "set":
                    guard let values = rule.value.object?.members, values.allSatisfy({ $0.value.string != nil }) else {
                        throw unexpected("“set” has an expression, in quotes, for each property.")
                    }
                    for value in values {
                        let text = value.value.string ?? ""
                        rules.values[value.name] = try Self.expression(text, file, member.name, value.name)
                    }
                default:
                    throw unexpected("“\(member.name)” has the unknown member “\(rule.name)”.")
                }
            }
            entities[member.name] = rules
        }
    }

    private static func predicate(
        _ text: String,
        _ file: String?,
        _ entity: String
    ) throws(ModelError) -> ObjectPredicate {
        do {
            return try ObjectPredicate(text)
        } catch {
            let place = ModelIssue.Place(file: file, entity: entity)
            throw ModelError(.syntax, at: place, "“\(text)” isn't a predicate: \(error.message)", hint: error.hint)
        }
    }

    private static func expression(
        _ text: String,
        _ file: String?,
        _ entity: String,
        _ property: String
    ) throws(ModelError) -> ObjectExpression {
        do {
            return try ObjectExpression(text)
        } catch {
            let place = ModelIssue.Place(file: file, entity: entity, property: property)
            throw ModelError(.syntax, at: place, "“\(text)” isn't an expression: \(error.message)", hint: error.hint)
        }
    }
}

// MARK: User info

extension MappingRules {
    /// The rules in the user info of a model.
    init(userInfoOf model: Model) {
        for entity in model.entities {
            var rules = EntityRules()
            rules.source = entity.userInfo["migrationSource"]
            do throws(ModelError) {
                if let text = entity.userInfo["migrationFilter"] {
                    rules.filter = try Self.predicate(text, nil, entity.name)
                }
                for property in entity.properties {
                    guard let text = property.userInfo["migrationValue"] else { continue }
                    rules.values[property.name] = try Self.expression(text, nil, entity.name, property.name)
                }
            } catch {
                issues.append(error.issue)
            }
            if rules != EntityRules() { entities[entity.name] = rules }
        }
    }
}

extension Model {
    /// Whether user info has rules for migrations to this version.
    public var hasMigrationRules: Bool { !MappingRules(userInfoOf: self).isEmpty }
}

extension Property {
    fileprivate var userInfo: UserInfo {
        switch self {
        case .attribute(let attribute): attribute.userInfo
        case .relationship(let relationship): relationship.userInfo
        case .fetched(let fetched): fetched.userInfo
        }
    }
}
