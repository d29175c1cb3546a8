// SPDX-License-Identifier: Apache-2.0

// A save of an editing context, by which it is known after a restart whether it was done.

import FoundationEssentials
import ObjectGraph
import Synchronization

/// The note that the stores keep with a save: the permanent names of what was new, and which request it was that is to be answered
/// so again.
struct ContextSave: Sendable {
    private let key: String
    private(set) var request: (key: String, fingerprint: String)?
    /// The URIs of objects that were new, by the numbers of their temporary names.
    private(set) var uris: [UInt32: String] = [:]

    init(namespace: UUID, number: Int, answering keeping: AnswerKeeping? = nil) {
        key = "context \(namespace.uuidString) \(number)"
        // Its body is at hand as a whole.
        request = keeping.flatMap { keeping in (try? keeping.fingerprint.digest()).map { (keeping.key, $0) } }
    }

    /// The save that comes after what a record says, if the stores have it.
    init?(after record: ContextRecord, in coordinator: PersistentStoreCoordinator) throws(GraphError) {
        self.init(namespace: record.namespace, number: record.saves + 1)
        guard let note = try coordinator.note(key) else { return nil }
        for line in String(decoding: note.content, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == Self.opening { request = (String(words[1]), String(words[2])) }
            guard words.count == 2, let number = UInt32(words[0]) else { continue }
            uris[number] = String(words[1])
        }
    }

    /// - Parameters:
    ///   - new: The objects that were new before the save began.
    ///   - lifetime: How long notes are kept.
    func note(
        of new: [NewObject],
        in context: ManagedObjectContext,
        lifetime: Duration
    ) throws(GraphError) -> PendingNote<SavedRows> {
        let named = new.map { new in
            (new.number, new.object.isInserted ? new.object.objectID : context.survivor(of: new.object))
        }
        let request = request.map { "\(Self.opening) \($0.key) \($0.fingerprint)\n" } ?? ""
        let since = Date.now.addingTimeInterval(-(max(lifetime, .seconds(86_400)) / .seconds(1)))
        return PendingNote(key: key, keptSince: since) { rows in
            let lines = named.compactMap { number, objectID in
                objectID.map { "\(number) \(rows.permanentID(of: $0).uri)\n" }
            }
            return Array((request + lines.joined()).utf8)
        }
    }

    /// What the line of the request begins with.
    private static let opening = "request"
}

/// A new object, and the number of its temporary name.
typealias NewObject = (number: UInt32, object: ManagedObject)
