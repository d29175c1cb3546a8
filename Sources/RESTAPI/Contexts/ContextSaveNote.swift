// SPDX-License-Identifier: Apache-2.0

// Notes in the stores that show after a restart whether an editing context's save was done.

import FoundationEssentials
import ObjectGraph
import Synchronization

/// The note of a save: the permanent references of new objects, and the key of the request, so that a repeat gets the
/// same answer.
struct ContextSaveNote: Sendable {
    private let key: String
    private(set) var request: (key: String, fingerprint: String)?
    /// The URIs of objects that were new, by temporary number.
    private(set) var uris: [UInt32: String] = [:]

    init(namespace: UUID, number: Int, answering recorder: AnswerRecorder? = nil) {
        key = "context \(namespace.uuidString) \(number)"
        // Doesn't block, since the body was already read.
        request = recorder.flatMap { recorder in (try? recorder.fingerprint.digest()).map { (recorder.key, $0) } }
    }

    /// The save after the one that a record contains, if the stores have it.
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
    ///   - new: The objects that were new before the save.
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

    /// The first word of the request's line.
    private static let opening = "request"
}

/// A new object and its temporary number.
typealias NewObject = (number: UInt32, object: ManagedObject)
