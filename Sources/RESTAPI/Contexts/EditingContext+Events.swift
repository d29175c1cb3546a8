// SPDX-License-Identifier: Apache-2.0

// Streams the merges of other writers' changes into an editing context.

import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

extension EditingContext {
    /// A stream with an event for each merge.
    func events(in api: API) -> Reply {
        let hold = ContextHold(head)
        var reply = Reply(.feed { [self] feed in ContextFeed.start(feed, of: self, in: api, holding: hold) })
        reply.fields[.cacheControl] = "no-store"
        return reply
    }

    fileprivate func event(_ notice: MergeNotice, in catalogue: Catalogue) -> ServerSentEvent {
        func references(_ objects: [ManagedObjectID]) -> JSONValue {
            .array(objects.filter(catalogue.shows).map { .string(catalogue.reference(to: $0)) })
        }
        func names(_ properties: [String], of objectID: ManagedObjectID) -> JSONValue {
            .array(properties.compactMap(catalogue[objectID.entity].name(ofProperty:)).map(JSONValue.string))
        }
        let updated = notice.updated.filter { catalogue.shows($0.objectID) }.map { update -> JSONValue in
            [
                "_id": .string(catalogue.reference(to: update.objectID)),
                "properties": names(update.properties, of: update.objectID),
                "conflict": names(update.conflict, of: update.objectID),
            ]
        }
        var members: [(String, JSONValue)] = [
            ("inserted", references(notice.inserted)), ("updated", .array(updated)),
            ("deleted", references(notice.deleted)), ("source", .string(notice.source.rawValue)),
        ]
        if notice.isIncomplete { members.append(("incomplete", true)) }
        return ServerSentEvent(event: "merge", data: JSONValue.object(JSONObject(members)).serialized())
    }
}

/// A listening client, which keeps the context in memory and from expiring.
private final class ContextFeed: Sendable {
    private let context: EditingContext
    private let catalogue: Catalogue
    private let hold: ContextHold
    private let feed: any HTTPFeed
    private let watch = Mutex<Int?>(nil)

    static func start(_ feed: any HTTPFeed, of context: EditingContext, in api: API, holding hold: ContextHold) {
        let listener = ContextFeed(feed, of: context, in: api.catalogue, holding: hold)
        // Shows the client that no later event is missed.
        guard feed.send(ServerSentEvent(retry: 1_000, comment: "listening").bytes) else { return }
        do throws(GraphError) {
            let number = try context.family.watch(context.member) { notice in listener.send(notice) }
            listener.watch.withLock { $0 = number }
            Task { [weak listener] in
                // Otherwise, the end of the connection would be noticed only with the next event.
                while listener?.sendHeartbeat() == true { try? await Task.sleep(for: interval) }
            }
        } catch {
            feed.end()
        }
    }

    private static let interval = Duration.seconds(15)

    private func sendHeartbeat() -> Bool {
        if feed.send(ServerSentEvent(comment: "").bytes) { return true }
        stop()
        return false
    }

    private init(_ feed: any HTTPFeed, of context: EditingContext, in catalogue: Catalogue, holding hold: ContextHold) {
        self.feed = feed
        self.context = context
        self.catalogue = catalogue
        self.hold = hold
    }

    private func send(_ notice: MergeNotice) {
        // Deferred, since the family's turn is held now.
        if !feed.send(context.event(notice, in: catalogue).bytes) { Task { [self] in stop() } }
    }

    private func stop() {
        guard let number = watch.withLock({ $0.take() }) else { return }
        context.family.endWatch(number, of: context.member)
    }
}
