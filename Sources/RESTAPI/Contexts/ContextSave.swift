// SPDX-License-Identifier: Apache-2.0

// A save of an editing context, by which it is known after a restart whether it was done.

import FoundationEssentials
import ObjectGraph
import Synchronization

/// The note that the stores keep with a save: the permanent names of what was new.
struct ContextSave: Sendable {
    private let key: String
    /// The URIs of objects that were new, by the numbers of their temporary names.
    private(set) var uris: [UInt32: String] = [:]

    init(namespace: UUID, number: Int) { key = "context \(namespace.uuidString) \(number)" }

    /// The save that comes after what a record says, if the stores have it.
    init?(after record: ContextRecord, in coordinator: PersistentStoreCoordinator) throws(GraphError) {
        self.init(namespace: record.namespace, number: record.saves + 1)
        guard let note = try coordinator.note(key) else { return nil }
        for line in String(decoding: note.content, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = UInt32(words[0]) else { continue }
            uris[number] = String(words[1])
        }
    }

    /// - Parameter lifetime: How long notes are kept.
    func note(of context: ManagedObjectContext, lifetime: Duration) -> PendingNote<SavedRows> {
        let new = context.insertedObjects.compactMap { object in
            object.objectID.temporaryNumber.map { ($0, object.objectID) }
        }
        let since = Date.now.addingTimeInterval(-(max(lifetime, .seconds(86_400)) / .seconds(1)))
        return PendingNote(key: key, keptSince: since) { rows in
            Array(new.map { "\($0) \(rows.permanentID(of: $1).uri)\n" }.joined().utf8)
        }
    }
}
