// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Outcrop

/// Reads and writes the files of objects. Saves are atomic.
///
/// If the process ends during a save, either the old or the new state remains:
///
/// 1. Each changed file is written beside the old one, as `<reference>.json.new`. It has no effect before step 2.
/// 2. `commit.json` is put in place by renaming it. This commits the save.
/// 3. The new files replace the old ones, deleted files are removed, and finally `commit.json` is. Opening the store,
///    and every later call, first completes an interrupted step 3.
struct NoteFiles: Sendable {
    let folder: String
    let store: UUID
    let model: ManagedObjectModel

    /// The files of a save, without `.json`.
    private struct Commit: Codable {
        var written: [String]
        var deleted: [String]
    }

    private var commitPath: String { folder + "/commit.json" }

    /// Whether a text can be a file name, and thereby an object's reference.
    static func isReference(_ text: String) -> Bool {
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789-".utf8
        return (1...100).contains(text.utf8.count) && text.utf8.allSatisfy(allowed.contains)
    }

    func note(_ objectID: ManagedObjectID) throws -> Note {
        let path = folder + "/" + Note.name(of: objectID) + ".json"
        return try Note(NoteContent.read(path), objectID, self, path)
    }

    /// The ID of the object named `<Entity>/<reference>`.
    func objectID(named name: String, path: String) throws -> ManagedObjectID {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let entity = model.entity(named: parts[0]), !entity.isAbstract,
            Self.isReference(parts[1])
        else { throw NoteStoreError(.damaged, "“\(name)” isn't a reference.", path) }
        return ManagedObjectID(entity: entity, store: store, reference: .text(parts[1]))
    }

    /// Reads all files to build the index.
    func index() throws -> NoteIndex {
        var index = NoteIndex()
        var notes: [Note] = []
        for entity in model.entities where !entity.isAbstract && exists(folder + "/" + entity.name) {
            let path = folder + "/" + entity.name
            for file in try NoteStoreError.naming(path, { try FileManager.default.contentsOfDirectory(atPath: path) }) {
                guard file.hasSuffix(".json") else { continue }
                let objectID = try objectID(named: entity.name + "/" + file.dropLast(5), path: path + "/" + file)
                guard index.objectID(objectID) == nil else {
                    throw NoteStoreError(
                        .damaged,
                        "Another entity of the hierarchy has a file of this name.",
                        path + "/" + file
                    )
                }
                let note = try note(objectID)
                index.put(note.snapshot)
                notes.append(note)
            }
        }
        // Rows first: the others depend on them.
        index.change(
            notes.flatMap(\.members).map { change in
                let order = change.relationship.isOrdered ? change.added : nil
                return .init(owner: change.owner, relationship: change.relationship, added: change.added, order: order)
            }
        )
        index.touched = []
        return index
    }

    /// Writes the changed objects of a view, in steps 1 to 3.
    func commit(_ view: NoteView) throws {
        var commit = Commit(written: [], deleted: [])
        do {
            for entity in Set(view.index.touched.map(\.entity)) { try makeFolder(entity.name) }
            for objectID in view.index.touched {
                guard let snapshot = try view.snapshot(of: objectID) else {
                    commit.deleted.append(Note.name(of: objectID))
                    continue
                }
                let name = Note.name(of: snapshot.objectID)
                commit.written.append(name)
                try NoteContent(snapshot, view.index).write(to: folder + "/" + name + ".json.new")
            }
            try commit.write(to: commitPath, options: .atomic)
        } catch {
            for name in commit.written {
                try? FileManager.default.removeItem(atPath: folder + "/" + name + ".json.new")
            }
            throw error
        }
        // The save is committed: the next call completes what fails from here on.
        try? finishCommit()
    }

    /// Completes step 3. It can be interrupted and repeated at any point.
    func finishCommit() throws {
        guard exists(commitPath) else { return }
        let commit = try Commit.read(commitPath)
        try NoteStoreError.naming(folder) {
            for name in commit.written where exists(folder + "/" + name + ".json.new") {
                try remove(folder + "/" + name + ".json")
                try FileManager.default.moveItem(
                    atPath: folder + "/" + name + ".json.new",
                    toPath: folder + "/" + name + ".json"
                )
            }
            for name in commit.deleted { try remove(folder + "/" + name + ".json") }
            try remove(commitPath)
        }
    }

    /// Cleans up after a process that ended during a save.
    func recover(isReadOnly: Bool) throws {
        guard !isReadOnly else {
            guard !exists(commitPath) else {
                throw NoteStoreError(
                    .unfinished,
                    "A save was interrupted. Open the store once for writing.",
                    folder
                )
            }
            return
        }
        try finishCommit()
        for entity in model.entities where exists(folder + "/" + entity.name) {
            let path = folder + "/" + entity.name
            try NoteStoreError.naming(path) {
                for file in try FileManager.default.contentsOfDirectory(atPath: path) where file.hasSuffix(".json.new")
                {
                    try remove(path + "/" + file)
                }
            }
        }
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func remove(_ path: String) throws {
        if exists(path) { try FileManager.default.removeItem(atPath: path) }
    }

    private func makeFolder(_ name: String) throws {
        let path = folder + "/" + name
        try NoteStoreError.naming(path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }
}
