// SPDX-License-Identifier: Apache-2.0

// Conversion between objects and the text of their files.

import FoundationEssentials
import Outcrop

/// The contents of an object's file.
struct Note {
    let snapshot: Snapshot
    /// The members of listed relationships, as additions.
    let members: [StoreSaveRequest.MembersChange]

    /// The path of the object's file without `.json`, which is also its name in references.
    static func name(of objectID: ManagedObjectID) -> String {
        guard case .text(let reference)? = objectID.reference else { return objectID.entity.name + "/" }
        return objectID.entity.name + "/" + reference
    }

    /// Reads the contents of a file, which may have been edited by hand. Missing attributes become nil.
    init(_ content: NoteContent, _ objectID: ManagedObjectID, _ files: NoteFiles, _ path: String) throws {
        let entity = objectID.entity
        var row = Row(attributes: entity.attributes.map { _ in .null }, toOnes: entity.toOnes.map { _ in nil })
        for (name, stored) in content.attributes {
            guard let attribute = entity.attribute(named: name), let value = attribute.accepting(stored.value) else {
                throw NoteStoreError(.damaged, "\(entity.name) can't have this value as “\(name)”.", path)
            }
            row.attributes[attribute.slot] = value
        }
        func destinations(_ names: [String], _ relationship: RelationshipDescription) throws -> [ManagedObjectID] {
            let destination = files.model.entity(named: relationship.relationship.destinationName)
            return try names.map { name in
                let found = try files.objectID(named: name, path: path)
                guard let destination, found.entity.isKind(of: destination) else {
                    throw NoteStoreError(.damaged, "“\(relationship.name)” can't refer to \(name).", path)
                }
                return found
            }
        }
        var members: [StoreSaveRequest.MembersChange] = []
        for (name, names) in content.relationships ?? [:] {
            guard let relationship = entity.relationship(named: name), relationship.isToMany || names.count < 2 else {
                throw NoteStoreError(.damaged, "\(entity.name) can't have these objects as “\(name)”.", path)
            }
            let found = try destinations(names, relationship)
            if relationship.isToMany {
                members.append(.init(owner: objectID, relationship: relationship, added: found))
            } else {
                row.toOnes[relationship.slot] = found.first
            }
        }
        snapshot = Snapshot(objectID: objectID, version: content.version ?? 1, row: row)
        self.members = members
    }
}

/// The text of a file: `{"attributes": {"name": "Zebra"}, "relationships": {"room": ["Room/red"]}, "version": 1}`.
struct NoteContent: Codable {
    var version: Int64?
    var attributes: [String: StoredValue]
    /// The destinations of to-one relationships, and of to-many relationships that can't be derived from other rows.
    var relationships: [String: [String]]?

    init(_ snapshot: Snapshot, _ index: NoteIndex) {
        let entity = snapshot.objectID.entity
        version = snapshot.version
        attributes = [:]
        for attribute in entity.attributes where snapshot.row.attributes[attribute.slot] != .null {
            attributes[attribute.name] = StoredValue(snapshot.row.attributes[attribute.slot])
        }
        var relationships: [String: [String]] = [:]
        for relationship in entity.toOnes {
            if let found = snapshot.row.toOnes[relationship.slot] {
                relationships[relationship.name] = [Note.name(of: index.objectID(found) ?? found)]
            }
        }
        for relationship in entity.toManys where relationship.isListed {
            let members = index.members(of: relationship, owner: snapshot.objectID)
            if !members.isEmpty { relationships[relationship.name] = members.map(Note.name) }
        }
        self.relationships = relationships.isEmpty ? nil : relationships
    }
}

/// The contents of `store.json`.
struct NoteHead: Codable {
    var identifier: UUID
    var metadata: [String: StoredValue] = [:]

    /// Reads the head of a folder, or creates the folder with a new head.
    static func open(_ folder: String, isReadOnly: Bool) throws -> NoteHead {
        if FileManager.default.fileExists(atPath: folder + "/store.json") { return try read(folder + "/store.json") }
        guard !isReadOnly else { throw NoteStoreError(.missing, "The store doesn't exist.", folder) }
        try NoteStoreError.naming(folder) {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let head = NoteHead(identifier: UUID())
        try head.write(to: folder)
        return head
    }

    func write(to folder: String) throws { try write(to: folder + "/store.json", options: .atomic) }
}
