// SPDX-License-Identifier: Apache-2.0

// The notes of an atomic store, and their representation in its file.

import FoundationEssentials
import ObjectGraph
import Predicates

/// Notes by key.
struct AtomicNotes: Sendable {
    private var notes: [String: StoreNote] = [:]
    /// The keys of the notes that expire, in order of creation.
    private var keys: ArraySlice<String> = []

    subscript(key: String) -> StoreNote? { notes[key] }

    /// Throws if the key of a note is already used.
    func checkKey<Outcome>(of note: PendingNote<Outcome>) throws(GraphError) {
        if let taken = notes[note.key], taken.made >= note.keptSince { throw .noteTaken(note.key) }
    }

    /// Adds a note, and removes expired ones.
    mutating func add(_ note: StoreNote, expires: Bool, keptSince date: Date) {
        if notes.updateValue(note, forKey: note.key) != nil { keys.removeAll { $0 == note.key } }
        if expires { keys.append(note.key) }
        while let oldest = keys.first, let made = notes[oldest]?.made, made < date {
            notes[oldest] = nil
            keys.removeFirst()
        }
    }
}

extension AtomicNotes {
    /// The reserved key of the notes in a file's metadata, which is hidden from clients.
    static let key = "OutcropNotes"

    /// Removes the notes from the metadata of a file.
    init(extractingFrom metadata: inout StoreMetadata) {
        guard case .dictionary(let members)? = metadata.values.removeValue(forKey: Self.key) else { return }
        let found = members.compactMap { key, value -> (note: StoreNote, expires: Bool)? in
            guard case .dictionary(let note) = value, case .date(let made)? = note["made"],
                case .data(let content)? = note["content"]
            else { return nil }
            let expires = note["expires"] != false
            return (StoreNote(key: key, content: [UInt8](content), made: made), expires)
        }
        for (note, expires) in found.sorted(by: { ($0.note.made, $0.note.key) < ($1.note.made, $1.note.key) }) {
            add(note, expires: expires, keptSince: .distantPast)
        }
    }

    /// Adds the notes to the metadata of a file.
    func added(to metadata: StoreMetadata) -> StoreMetadata {
        guard !notes.isEmpty else { return metadata }
        var metadata = metadata
        let expiring = Set(keys)
        metadata.values[Self.key] = .dictionary(
            notes.mapValues { note in
                var members: [String: Value] = ["made": .date(note.made), "content": .data(Data(note.content))]
                if !expiring.contains(note.key) { members["expires"] = false }
                return .dictionary(members)
            }
        )
        return metadata
    }
}
