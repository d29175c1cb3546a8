// SPDX-License-Identifier: Apache-2.0

// The complete visible state of a context of the fixture world, with labels that are the same in every context.

import ObjectGraph
import Predicates

/// A context's objects, their changes, and the undo and redo groups.
struct ContextView: Equatable, Sendable {
    /// The possible undo and redo, and the objects by their state.
    var summary: [String: String] = [:]
    /// All objects that fetches find, with all their values.
    var objects: [String: [String: String]] = [:]
    var changed: [String: [String: String]] = [:]
    var committed: [String: [String: String]] = [:]

    init(_ context: ManagedObjectContext) throws {
        for entity in LabelledEdits.labels.keys.sorted() {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
                objects[try Self.label(of: object)] = try Self.values(of: object)
            }
        }
        func labels(_ objects: [ManagedObject]) throws -> [String] { try objects.map { try Self.label(of: $0) } }
        summary["inserted"] = try labels(context.insertedObjects).joined(separator: " ")
        summary["updated"] = try labels(context.updatedObjects).sorted().joined(separator: " ")
        summary["deleted"] = try labels(context.deletedObjects).sorted().joined(separator: " ")
        summary["undo"] = context.undoManager.map { "\($0.canUndo) \($0.canRedo)" }
        for object in context.insertedObjects + context.updatedObjects {
            let label = try Self.label(of: object)
            changed[label] = try Self.described(object.changedValues, of: object, context)
        }
        for object in context.updatedObjects {
            let label = try Self.label(of: object)
            committed[label] = try Self.described(object.committedValues(), of: object, context)
        }
    }

    /// The same without objects that were changed back, which a merge may count as unchanged or not.
    var withoutEmptyUpdates: ContextView {
        var view = self
        let empty = Set(changed.filter(\.value.isEmpty).keys)
        let updated = (summary["updated"] ?? "").split(separator: " ").filter { !empty.contains(String($0)) }
        view.summary["updated"] = updated.joined(separator: " ")
        for label in empty { (view.changed[label], view.committed[label]) = (nil, nil) }
        return view
    }

    /// The differences between two views.
    func difference(from other: ContextView) -> String {
        var lines: [String] = []
        for (name, one, two) in [
            ("", ["": summary], ["": other.summary]), ("objects", objects, other.objects),
            ("changed", changed, other.changed), ("committed", committed, other.committed),
        ] {
            for label in Set(one.keys).union(two.keys).sorted() where one[label] != two[label] {
                guard let one = one[label], let two = two[label] else {
                    lines.append("\(name) \(label): \(one[label] == nil ? "only in the other" : "not in the other")")
                    continue
                }
                for key in Set(one.keys).union(two.keys).sorted() where one[key] != two[key] {
                    lines.append("\(name) \(label).\(key): \(one[key] ?? "-") | \(two[key] ?? "-")")
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    static func label(of object: ManagedObject) throws -> String {
        let value = try object.value(forKey: LabelledEdits.labels[object.entity.name] ?? "")
        return switch value {
        case .string(let text): "\(object.entity.name)-\(text)"
        case .integer(let number): "\(object.entity.name)-\(number)"
        default: "\(object.entity.name)-\(value)"
        }
    }

    private static func values(of object: ManagedObject) throws -> [String: String] {
        var values: [String: String] = [:]
        for attribute in object.entity.attributes where !attribute.isDerived {
            values[attribute.name] = "\(try object.value(forKey: attribute.name))"
        }
        for relationship in object.entity.relationships {
            let labels = try object.related(relationship.name).map { try label(of: $0) }
            values[relationship.name] = (relationship.isOrdered ? labels : labels.sorted()).joined(separator: " ")
        }
        return values
    }

    private static func described(
        _ values: [String: Value],
        of object: ManagedObject,
        _ context: ManagedObjectContext
    ) throws -> [String: String] {
        func label(_ value: Value) throws -> String {
            guard case .reference(let reference) = value else { return "\(value)" }
            let known = context.registeredObjects.first { $0.objectID.uri == reference.uri }
            if let object = known ?? context.objectID(forURI: reference.uri).map(context.object(with:)) {
                // A context may still know an object that another context has deleted.
                let isGone = object.isDeleted && !context.deletedObjects.contains(object)
                return isGone ? "\(object.entity.name)-null" : try Self.label(of: object)
            }
            return reference.uri
        }
        var texts: [String: String] = [:]
        for (name, value) in values {
            if case .array(let members) = value {
                let labels = try members.map(label)
                let isOrdered = object.entity.relationship(named: name)?.isOrdered ?? true
                texts[name] = (isOrdered ? labels : labels.sorted()).joined(separator: " ")
            } else {
                texts[name] = try label(value)
            }
        }
        return texts
    }
}
