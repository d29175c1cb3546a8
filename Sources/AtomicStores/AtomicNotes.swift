// SPDX-License-Identifier: Apache-2.0

// The notes of a store that is in memory as a whole, and how they stand in its file.

import FoundationEssentials
import ObjectGraph
import Predicates

/// Notes by their keys, the oldest first.
struct AtomicNotes: Sendable {
    private var notes: [String: StoreNote] = [:]
    private var keys: ArraySlice<String> = []

    subscript(key: String) -> StoreNote? { notes[key] }

    /// Throws where the key of a note is taken.
    func checkKey<Outcome>(of note: PendingNote<Outcome>) throws(GraphError) {
        if let taken = notes[note.key], taken.made >= note.keptSince { throw .noteTaken(note.key) }
    }

    /// Adds a note, and forgets those that are too old.
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
    /// Where they are among the metadata of a file, of which nobody else sees them.
    static let key = "OutcropNotes"

    /// Takes what the metadata of a file have of notes out of them.
    init(taking metadata: inout StoreMetadata) {
        guard case .dictionary(let members)? = metadata.values.removeValue(forKey: Self.key) else { return }
        let found = members.compactMap { key, value -> StoreNote? in
            guard case .dictionary(let note) = value, case .date(let made)? = note["made"],
                case .data(let content)? = note["content"]
            else { return nil }
            return StoreNote(key: key, content: [UInt8](content), made: made)
        }
        for note in found.sorted(by: { ($0.made, $0.key) < ($1.made, $1.key) }) { add(note, keptSince: .distantPast) }
    }

    /// The metadata as a file has them.
    func added(to metadata: StoreMetadata) -> StoreMetadata {
        guard !notes.isEmpty else { return metadata }
        var metadata = metadata
        metadata.values[Self.key] = .dictionary(
            notes.mapValues { .dictionary(["made": .date($0.made), "content": .data(Data($0.content))]) }
        )
        return metadata
    }
}
