// SPDX-License-Identifier: Apache-2.0

// All that objects show, as texts that can be compared.

import Predicates

@testable import ObjectGraph

/// The objects that are present, and their values but for notes. What isn't there isn't shown as related either.
struct PendingPicture: Equatable, Sendable {
    private(set) var objects: [String: [String: String]] = [:]
    /// A relationship that the other side doesn't have.
    private(set) var oneSided: String?

    init(_ view: PendingView<some CommittedState>, _ objectIDs: some Sequence<ManagedObjectID>) throws {
        var present: [ManagedObjectID] = []
        for objectID in Set(objectIDs) where try view.isPresent(objectID) { present.append(objectID) }
        var related: [ManagedObjectID: [String: [ManagedObjectID]]] = [:]
        for objectID in present {
            var texts: [String: String] = [:]
            for attribute in objectID.entity.attributes where attribute.name != "note" {
                texts[attribute.name] = try view.value(of: objectID, attribute: attribute.slot).map { "\($0)" }
            }
            for relationship in objectID.entity.relationships {
                let shown = try view.related(objectID, relationship).filter { try view.isPresent($0) }
                related[objectID, default: [:]][relationship.name] = shown
                texts[relationship.name] = Self.text(shown.map(\.caption), relationship)
            }
            objects[objectID.caption] = texts
        }
        for (objectID, relationships) in related {
            for (name, others) in relationships {
                if Set(others).count != others.count { oneSided = "\(objectID.caption).\(name): \(others)" }
                guard let inverse = objectID.entity.relationship(named: name)?.inverse else { continue }
                for other in others where related[other]?[inverse.name]?.contains(objectID) != true {
                    oneSided = "\(objectID.caption).\(name) -> \(other.caption)"
                }
            }
        }
    }

    init(_ context: ManagedObjectContext) throws {
        for entity in MemoryState.entities {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
                var texts: [String: String] = [:]
                for attribute in object.entity.attributes where attribute.name != "note" {
                    texts[attribute.name] = "\(try object.value(forKey: attribute.name))"
                }
                for relationship in object.entity.relationships {
                    let others = try object.related(relationship.name).filter {
                        !$0.isDeleted && context.registeredObject(for: $0.objectID) === $0
                            && (try? context.existingObject(with: $0.objectID)) != nil
                    }
                    texts[relationship.name] = Self.text(try others.map { try $0.numbered }, relationship)
                }
                objects[try object.numbered] = texts
            }
        }
    }

    private static func text(_ captions: [String], _ relationship: RelationshipDescription) -> String {
        (relationship.isOrdered ? captions : captions.sorted()).joined(separator: " ")
    }

    /// The same but for a relationship.
    func without(_ name: String) -> PendingPicture {
        var picture = self
        for caption in objects.keys { picture.objects[caption]?[name] = nil }
        return picture
    }

    func difference(from other: PendingPicture) -> String {
        var lines: [String] = []
        for name in Set(objects.keys).union(other.objects.keys).sorted() where objects[name] != other.objects[name] {
            guard let one = objects[name], let two = other.objects[name] else {
                lines.append("\(name) is only in the \(objects[name] == nil ? "second" : "first")")
                continue
            }
            for key in one.keys.sorted() where one[key] != two[key] {
                lines.append("\(name).\(key): \(one[key] ?? "–") | \(two[key] ?? "–")")
            }
        }
        return lines.joined(separator: "\n")
    }

    static func == (one: PendingPicture, other: PendingPicture) -> Bool { one.objects == other.objects }
}

extension ManagedObject {
    /// The entity and the number that it was given.
    var numbered: String {
        get throws {
            guard case .integer(let number) = try value(forKey: "number") else { return "\(entity.name)?" }
            return "\(entity.name)\(number)"
        }
    }
}
