// SPDX-License-Identifier: Apache-2.0

// The notes of an atomic store, and their representation in its file.

import FoundationEssentials
import ObjectGraph
import Predicates

/// Notes by key, in order of creation.
struct AtomicNotes: Sendable {
    private var notes: [String: StoreNote] = [:]
    private var keys: ArraySlice<String> = []

    subscript(key: String) -> StoreNote? { notes[key] }

    /// Throws if the key of a note is already used.
    func checkKey<Outcome>(of note: PendingNote<Outcome>) throws(GraphError) {
        if let taken = notes[note.key], taken.made >= note.keptSince { throw .noteTaken(note.key) }
    }

    /// Adds a note, and removes expired ones.
    mutating func add(_ note: StoreNote, keptSince date: Date) {
        if notes.updateValue(note, forKey: note.key) != nil { keys.removeAll { $0 == note.key } }
        keys.append(note.key)
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
        let found = members.compactMap { key, value -> StoreNote? in
            guard case .dictionary(let note) = value, case .date(let made)? = note["made"],
                case .data(let content)? = note["content"]
            else { return nil }
            return StoreNote(key: key, content: [UInt8](content), made: made)
        }
        for note in found.sorted(by: { ($0.made, $0.key) < ($1.made, $1.key) }) { add(note, keptSince: .distantPast) }
    }

    /// Adds the notes to the metadata of a file.
    func added(to metadata: StoreMetadata) -> StoreMetadata {
        guard !notes.isEmpty else { return metadata }
        var metadata = metadata
        metadata.values[Self.key] = .dictionary(
            notes.mapValues { .dictionary(["made": .date($0.made), "content": .data(Data($0.content))]) }
        )
        return metadata
    }
}
