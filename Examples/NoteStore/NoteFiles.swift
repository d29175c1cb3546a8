// SPDX-License-Identifier: Apache-2.0

// The folder of a store, and how a save gets into it as a whole.

import FoundationEssentials
import Outcrop

/// Reads and writes the files of objects.
///
/// A save goes on like this, so that whatever ends the process leaves the old state or the new one:
///
/// 1. Each file that changes is written beside the old one, as `<reference>.json.new`. Without step 2 it means nothing.
/// 2. `commit.json` is put in place by renaming it. From here on the save is done.
/// 3. The new files take the places of the old ones, deleted ones go, and last `commit.json`. Opening the store, and every
///    later call, begins with this step where it has not come to its end.
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

    /// Whether a text can be the name of a file, and so the reference of an object.
    static func isReference(_ text: String) -> Bool {
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789-".utf8
        return (1...100).contains(text.utf8.count) && text.utf8.allSatisfy(allowed.contains)
    }

    func note(_ objectID: ManagedObjectID) throws -> Note {
        let path = folder + "/" + Note.name(of: objectID) + ".json"
        return try Note(NoteContent.read(path), objectID, self, path)
    }

    /// The object that `<Entity>/<reference>` names.
    func objectID(named name: String, path: String) throws -> ManagedObjectID {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let entity = model.entity(named: parts[0]), !entity.isAbstract,
            Self.isReference(parts[1])
        else { throw NoteStoreError(.damaged, "“\(name)” names no object.", path) }
        return ManagedObjectID(entity: entity, store: store, reference: .text(parts[1]))
    }

    /// Reads all files once, to know who is there.
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
        // Rows come first, then the pairs, then their orders: each needs what was before.
        for note in notes { for change in note.members { index.change(change) } }
        for note in notes {
            for change in note.members where change.relationship.isOrdered {
                index.change(.init(owner: change.owner, relationship: change.relationship, order: change.added))
            }
        }
        index.touched = []
        return index
    }

    /// Writes the objects of a view that were touched, as steps 1 to 3.
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
        // What fails from here on is done by the next call: the save is there already.
        try? finishCommit()
    }

    /// Step 3, as far as it has not been done. It may end anywhere and be begun anew.
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

    /// Brings the folder into order after a process has ended in the middle of a save.
    func recover(isReadOnly: Bool) throws {
        guard !isReadOnly else {
            guard !exists(commitPath) else {
                throw NoteStoreError(
                    .unfinished,
                    "A save came to no end here. Open the store for writing once.",
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
