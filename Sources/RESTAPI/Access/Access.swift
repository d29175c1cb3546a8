// SPDX-License-Identifier: Apache-2.0

// What one identity may do with the objects of a model.

import AccessRules
import Cryptography
import FoundationEssentials
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// The rules for an identity, with its values in their conditions.
///
/// 1. What isn't permitted by an alternative is denied.
/// 2. Conditions see all objects, hidden ones too. What the identity itself asks for sees only readable ones.
/// 3. An object is readable if the rule of its own entity permits it.
final class Access: Sendable {
    /// The rules of a verb for the objects of an entity.
    enum Permission: Equatable, Sendable {
        case always
        /// One of the alternatives must hold; none of no alternatives.
        case when([AccessRule])

        static let never = Permission.when([])

        /// Whether it depends on the object.
        var isConditional: Bool { self != .always && self != .never }

        /// The condition on an object as it is.
        var existing: ObjectPredicate {
            switch self {
            case .always: .constant(true)
            case .when(let rules): .any(of: rules.map(\.existing))
            }
        }
    }

    let identity: Identity
    /// The identity's account, or nil.
    let user: ManagedObjectID?
    /// The roles with those that they extend.
    let roles: Set<String>
    /// The largest limits of the roles.
    let limits: RoleLimits
    let model: ManagedObjectModel
    /// Distinguishes what is read under these rules.
    let tag = String(UInt64.random(in: 0 ... .max), radix: 36)
    /// The values that the conditions have for `$USER.path` depend on objects of these entities.
    let dependencies: [EntityDescription]
    let policy: AccessPolicy
    /// By the index of the entity.
    private let permissions: [AccessVerb: [Permission]]
    private let values: AccessValues
    /// By the index of the entity: the condition for readable objects of it and its subentities, or nil if all are.
    private let visibility: [ObjectPredicate?]
    /// By the index of the entity: whether its to-one relationships lead to objects that may not be readable.
    private let restrictedReferences: [Bool]
    /// By the index of the entity.
    let memoryVisibility: [MemoryVisibility]

    init(
        _ policy: AccessPolicy,
        for identity: Identity,
        as user: ManagedObjectID?,
        in model: ManagedObjectModel,
        values: AccessValues
    ) {
        self.policy = policy
        self.identity = identity
        self.user = user
        self.model = model
        self.values = values
        dependencies = values.dependencies
        let roles = policy.closure(of: identity.roles)
        self.roles = roles
        limits = policy.limits(of: identity.roles)
        var permissions: [AccessVerb: [Permission]] = [:]
        for verb in AccessVerb.allCases {
            permissions[verb] = model.entities.map { entity in
                let lineage = entity.lineage(in: model)
                if lineage.contains(where: { identity.grants[$0]?.contains(verb) == true }) { return .always }
                let rules = policy.alternatives(for: verb, lineage: lineage, roles: roles)
                let filled = rules.map { values.filled($0, on: entity) }
                return filled.contains(where: \.isUnconditional) ? .always : .when(filled)
            }
        }
        self.permissions = permissions
        let readable = permissions[.read] ?? []
        let owners = model.entities.map { entity in
            entity.lineage(in: model).first { policy.rules[$0]?.verbs[.read] != nil }.flatMap(model.entity(named:))
        }
        let visibility = model.entities.map { Self.visibility(of: $0, readable, owners, in: model) }
        self.visibility = visibility
        let restricted = model.entities.map { entity in
            entity.toOnes.contains { visibility[model.destination(of: $0).index] != nil }
        }
        restrictedReferences = restricted
        memoryVisibility = model.entities.map { entity in
            restricted[entity.index] ? .unknown : MemoryVisibility(readable[entity.index], of: entity)
        }
    }

    /// - Parameter owners: The entity that has the rules for each entity.
    private static func visibility(
        of entity: EntityDescription,
        _ permissions: [Permission],
        _ owners: [EntityDescription?],
        in model: ManagedObjectModel
    ) -> ObjectPredicate? {
        let kinds = model.kinds(of: entity).filter { !$0.isAbstract }
        var groups: [(permission: Permission, subentity: EntityDescription?, names: [Value])] = []
        for kind in kinds {
            let permission = permissions[kind.index]
            // A rule for a subentity may have properties of that.
            let subentity =
                permission.isConditional ? owners[kind.index].flatMap { $0.index > entity.index ? $0 : nil } : nil
            let place = groups.firstIndex { $0.permission == permission && $0.subentity == subentity }
            if let place {
                groups[place].names.append(.string(kind.name))
            } else {
                groups.append((permission, subentity, [.string(kind.name)]))
            }
        }
        if groups.allSatisfy({ $0.permission == .always }) { return nil }
        if groups.count == 1, groups[0].subentity == nil { return groups[0].permission.existing }
        let parts = groups.compactMap { group -> ObjectPredicate? in
            let isOfGroup = ObjectPredicate.comparing(.keyPath("entity"), .in, .constant(.array(group.names)))
            let existing = group.permission.existing
            switch group.permission {
            case .always: return isOfGroup
            case .when([]): return nil
            case .when:
                let condition = group.subentity.map {
                    existing.based(on: .keyPath(of: .evaluatedObject, [$0.kindKey]))
                }
                return .all(of: [isOfGroup, condition ?? existing])
            }
        }
        return .any(of: parts)
    }

    func permission(_ verb: AccessVerb, _ entity: EntityDescription) -> Permission {
        permissions[verb]?[entity.index] ?? .never
    }

    /// The condition for readable objects of an entity and its subentities; nil if all are readable.
    func visibility(of entity: EntityDescription) -> ObjectPredicate? { visibility[entity.index] }

    /// Whether the entity has to-one relationships to objects that may not be readable.
    func restrictsReferences(of entity: EntityDescription) -> Bool { restrictedReferences[entity.index] }

    /// Whether the identity may do anything with objects of an entity.
    func knows(_ entity: EntityDescription) -> Bool {
        AccessVerb.allCases.contains { permission($0, entity) != .never }
    }

    func canRead(_ property: String, of entity: EntityDescription) -> Bool {
        policy.canRead(property, lineage: entity.lineage(in: model), roles: roles)
            && !(property == policy.identity.accounts?.password && isAccount(entity))
    }

    func canWrite(_ property: String, of entity: EntityDescription) -> Bool {
        policy.canWrite(property, lineage: entity.lineage(in: model), roles: roles) && canRead(property, of: entity)
    }

    /// Whether a property may change of an object that has its new values. Another name makes an account unverified,
    /// whether or not the identity may write that.
    func canWrite(_ property: String, of object: ManagedObject) -> Bool {
        if canWrite(property, of: object.entity) { return true }
        guard let accounts = policy.identity.accounts, property == accounts.verified, isAccount(object.entity) else {
            return false
        }
        let changed = object.changedValues
        return changed[accounts.name] != nil && changed[property] == .bool(false)
    }

    /// The values that a creation sets, by property.
    func forcedValues(of entity: EntityDescription) -> [String: Value] {
        policy.forcedValues(lineage: entity.lineage(in: model)).mapValues(values.value)
    }

    /// Whether it permits the same as another one that was made by the same rules.
    func isEqual(to other: Access) -> Bool {
        self === other
            || identity == other.identity && user == other.user && values.userValues == other.values.userValues
    }

    /// Distinguishes the sender of requests: its owner, its account and its roles.
    var sender: String {
        let owner = identity.owner ?? identity.name + " " + JSONValue.object(identity.claims).serialized()
        let parts = [owner, user?.uri ?? ""] + roles.sorted()
        return Data(SHA256.digest(of: Array(parts.joined(separator: "\n").utf8))).base64EncodedString()
    }

    private func isAccount(_ entity: EntityDescription) -> Bool {
        guard let name = policy.identity.accounts?.entity, let accounts = model.entity(named: name) else {
            return false
        }
        return entity.isKind(of: accounts)
    }
}

extension EntityDescription {
    /// The names of the entity and its superentities, beginning with its own.
    func lineage(in model: ManagedObjectModel) -> [String] {
        [name] + model.model.ancestors(of: entity).map(\.name)
    }
}
