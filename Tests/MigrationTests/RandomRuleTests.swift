// SPDX-License-Identifier: Apache-2.0

// Random rules on every store, compared with expressions that are evaluated over plain objects.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Random rules")
struct RandomRuleTests {
    @Test("each object gets what its rules say, in every store", arguments: SeededGenerator.seeds(80))
    func random(seed: UInt64) throws {
        let models = try RuledModel(seed: seed)
        let old = try ManagedObjectModel(models.old)
        let new = try ManagedObjectModel(models.new)
        let migration = try ModelMigration(from: old, to: new, rules: models.rules)
        let stores = try MigratedStores(old) { try models.fill($0, seed: seed) }
        let before = try stores.content(old)
        let isOpen = seed.isMultiple(of: 2)
        let expected: [String: RuledResult]
        do {
            expected = try RuledWorld(before, of: old).results(of: models.rules, in: new)
        } catch {
            for migrate in stores.migrations(by: migration, isOpen: isOpen) {
                #expect(throws: MigrationRuleError.self, "\(error)") { try migrate() }
            }
            try stores.expectSame(old)
            #expect(try stores.content(old) == before)
            return
        }
        try stores.migrate(by: migration, isOpen: isOpen)
        try stores.expectSame(new)
        let content = try stores.content(new).objects
        #expect(Set(content.keys) == Set(expected.keys))
        for (name, result) in expected {
            guard let object = content[name], let former = before.objects[name] else { continue }
            let values = object.values.filter { result.values[$0.key] != nil }
            #expect(values == result.values, "\(name)")
            let others = former.values.filter { result.values[$0.key] == nil }
            #expect(object.values.filter { others[$0.key] != nil } == others, "\(name)")
            let pick = result.pick.flatMap { expected[$0] == nil ? nil : $0 }
            #expect(object.related["pick"] == [pick].compactMap { $0.flatMap(Self.number) }, "\(name)")
        }
    }

    private static func number(of name: String) -> Int64? { name.split(separator: "/").last.flatMap { Int64($0) } }
}

/// What the rules say about an object that remains.
struct RuledResult {
    /// By attribute.
    var values: [String: Value] = [:]
    /// The name of the object that `pick` refers to.
    var pick: String?
}

/// The objects of a store, as plain objects that refer to each other.
private final class RuledWorld {
    private let model: ManagedObjectModel
    private var objects: [String: PlainObject] = [:]
    private var names: [Int64: String] = [:]

    init(_ content: Content, of model: ManagedObjectModel) {
        self.model = model
        for (name, object) in content.objects {
            guard let entity = model.entity(named: String(name.prefix { $0 != "/" })) else { continue }
            objects[name] = PlainObject(name, entity: entity, content: object, world: self)
            names[object.number(in: name)] = name
        }
    }

    func object(_ number: Int64) -> PlainObject? { names[number].flatMap { objects[$0] } }

    /// Evaluates the rules for each object that remains. Throws if one can't have what they say.
    func results(of rules: MappingRules, in new: ManagedObjectModel) throws -> [String: RuledResult] {
        let evaluator = Evaluator(now: .now)
        var results: [String: RuledResult] = [:]
        for (name, object) in objects {
            // An entity's rules take precedence over those that it inherits.
            let line = ([object.entity.entity] + model.model.ancestors(of: object.entity.entity)).map(\.name)
            let lineRules = line.compactMap { rules.entities[$0] }
            let filter = lineRules.compactMap(\.filter).first
            if let filter, try !evaluator.matches(filter, object) { continue }
            var result = RuledResult()
            for attribute in new.entity(named: object.entity.name)?.attributes ?? []
            where object.entity.attribute(named: attribute.name) == nil {
                let initial = attribute.attribute.defaultValue ?? .null
                result.values[attribute.name] = initial
                guard let expression = lineRules.compactMap({ $0.values[attribute.name] }).first else { continue }
                guard case .value(let value) = try evaluator.operand(of: expression, for: object) else {
                    throw Unsuitable()
                }
                if value == .null {
                    result.values[attribute.name] = attribute.attribute.isOptional ? .null : initial
                    continue
                }
                guard let accepted = attribute.attribute.type.accepting(value) else { throw Unsuitable() }
                result.values[attribute.name] = accepted
            }
            if let expression = lineRules.compactMap({ $0.values["pick"] }).first,
                case .object(let picked as PlainObject) = try evaluator.operand(of: expression, for: object)
            {
                result.pick = picked.name
            }
            results[name] = result
        }
        return results
    }

    private struct Unsuitable: Error {}
}

private final class PlainObject: KeyValueObject {
    let name: String
    let entity: EntityDescription
    private let content: Content.Object
    private unowned let world: RuledWorld

    init(_ name: String, entity: EntityDescription, content: Content.Object, world: RuledWorld) {
        self.name = name
        self.entity = entity
        self.content = content
        self.world = world
    }

    var reference: ObjectReference? { ObjectReference(uri: name) }

    func operand(forKey key: String) -> Operand? {
        if let value = content.values[key] { return .value(value) }
        guard let members = content.related[key]?.compactMap(world.object) else { return nil }
        if entity.relationship(named: key)?.isToMany == true { return .collection(members.map { .object($0) }) }
        return members.first.map { .object($0) } ?? .null
    }
}

extension Content.Object {
    fileprivate func number(in name: String) -> Int64 { name.split(separator: "/").last.flatMap { Int64($0) } ?? 0 }
}
