// SPDX-License-Identifier: Apache-2.0

// One editing context: a live context with a name, and the API as it is within it.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

/// A draft of any part of the graph, which nobody else sees until it is saved.
final class EditingContext: Sendable {
    let number: Int
    let settings: ContextSettings
    let parent: EditingContext?
    let family: ContextFamily
    let member: ContextFamily.Member
    let api: API
    let created: Date
    private let memoryLimit: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let use: Mutex<Use>

    private struct Use {
        var last: ContinuousClock.Instant
        /// How many requests are at work in it, and feeds open on it, which keep it from ending by itself.
        var holders = 0
    }

    init(
        number: Int,
        _ settings: ContextSettings,
        parent: EditingContext?,
        in api: API,
        _ drafts: Catalogue
    ) throws {
        (self.number, self.settings, self.parent, created) = (number, settings, parent, .now)
        (memoryLimit, now) = (api.options.contextMemoryLimit, api.options.now)
        use = Mutex(Use(last: now()))
        family = parent?.family ?? ContextFamily(api.coordinator)
        member = if let parent { try parent.family.addChild(of: parent.member) } else { family.root }
        let catalogue = Catalogue(drafts, at: "/api/contexts/\(Self.name(of: number))/")
        self.api = API(api, within: catalogue, family.temporaryIDs)
        try family.perform(in: member) { context in
            context.undoManager = UndoManager()
            context.mergesKeepBase = !settings.automaticallyMergesChanges
            context.automaticallyMergesChanges = settings.automaticallyMergesChanges
            // One that stays on its base must not forget what it has seen of it.
            context.retainsRegisteredObjects = !settings.automaticallyMergesChanges
            context.mergePolicy = MergePolicy(settings.mergePolicy.policy)
            context.name = settings.name
        }
    }

    /// The one at the top of its line of parents.
    var root: EditingContext { parent?.root ?? self }

    var name: String { Self.name(of: number) }

    static func name(of number: Int) -> String { "c\(number)" }

    /// The number in a context's name; nil where it is none.
    static func number(of name: String) -> Int? {
        guard name.utf8.first == UInt8(ascii: "c"), let number = Int(name.dropFirst()), number > 0,
            self.name(of: number) == name
        else { return nil }
        return number
    }

    // MARK: Use

    /// Runs a closure with the context, which may change what is pending only as `change(_:)` does.
    func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        hold()
        defer { release() }
        return try family.perform(in: member, body)
    }

    /// Runs a closure whose changes are one group of undo. Where it throws there are none.
    func change<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try perform { [memoryLimit] context in
            try context.asGroup {
                let result = try body(context)
                try context.processPendingChanges()
                let size = context.pendingSize
                guard size <= memoryLimit else { throw Problem.tooLarge(size, memoryLimit) }
                return result
            }
        }
    }

    /// Keeps it from ending by itself until it is released.
    func hold() { use.withLock { $0.holders += 1 } }

    func release() {
        use.withLock { use in
            use.holders -= 1
            use.last = now()
        }
        parent?.touch()
    }

    /// A child's use is its parent's as well.
    func touch() {
        use.withLock { $0.last = now() }
        parent?.touch()
    }

    func isIdle(after time: Duration) -> Bool {
        use.withLock { $0.holders == 0 && now() - $0.last >= time }
    }

    /// How long it goes on if nobody uses it.
    func remaining(of time: Duration) -> Duration {
        use.withLock { use in
            use.holders > 0 ? time : max(.zero, time - (now() - use.last))
        }
    }
}

extension Problem {
    fileprivate static func tooLarge(_ size: Int, _ limit: Int) -> Problem {
        Problem(
            .tooLarge,
            "The editing context would take \(size) bytes, and may take \(limit).",
            hint: "Save what is pending, or write straight to the store by a batch."
        )
    }
}
