// SPDX-License-Identifier: Apache-2.0

// The data of an editing context that don't need its objects.

import FoundationEssentials
import Synchronization

/// An editing context's name, settings and use, whether it is in memory or only in its file.
final class ContextHead: Sendable {
    let number: Int
    let settings: ContextSettings
    let parent: ContextHead?
    let created: Date
    private let now: @Sendable () -> ContinuousClock.Instant
    private let use: Mutex<Use>
    private let isRecovered = Atomic(false)

    private struct Use {
        var last: ContinuousClock.Instant
        /// The number of requests and feeds that use the context, which keep it from expiring.
        var holders = 0
    }

    init(
        number: Int,
        settings: ContextSettings,
        parent: ContextHead?,
        created: Date,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.number = number
        self.settings = settings
        self.parent = parent
        self.created = created
        self.now = now
        use = Mutex(Use(last: now()))
    }

    var name: String { Self.name(of: number) }

    static func name(of number: Int) -> String { "c\(number)" }

    /// The number in a context's name, or nil.
    static func number(of name: String) -> Int? {
        guard name.utf8.first == UInt8(ascii: "c"), let number = Int(name.dropFirst()), number > 0,
            self.name(of: number) == name
        else { return nil }
        return number
    }

    /// The topmost context in its line of parents.
    var root: ContextHead { parent?.root ?? self }

    /// Whether it is the other context or descends from it.
    func isBelow(_ other: ContextHead) -> Bool { self === other || parent?.isBelow(other) == true }

    /// Whether saves of others are merged into it.
    var merges: Bool { settings.automaticallyMergesChanges && parent?.merges ?? true }

    /// A notice for its clients, or nil.
    var notice: String? {
        guard isRecovered.load(ordering: .relaxed) else { return nil }
        return
            "The server ended right after a save: the changes were saved, but the undo history is lost."
    }

    /// Records that its last save is known only from the stores.
    func recover() { isRecovered.store(true, ordering: .relaxed) }

    // MARK: Use

    /// Keeps it in memory and from expiring until `release()`.
    func hold() { use.withLock { $0.holders += 1 } }

    func release() {
        use.withLock { use in
            use.holders -= 1
            use.last = now()
        }
        parent?.touch()
    }

    /// Use of a child counts as use of its parents.
    private func touch() {
        use.withLock { $0.last = now() }
        parent?.touch()
    }

    var isHeld: Bool { use.withLock { $0.holders > 0 } }

    var lastUse: ContinuousClock.Instant { use.withLock(\.last) }

    func isIdle(after time: Duration) -> Bool {
        use.withLock { $0.holders == 0 && now() - $0.last >= time }
    }

    /// The time until it expires if it isn't used.
    func remaining(of time: Duration) -> Duration {
        use.withLock { use in
            use.holders > 0 ? time : max(.zero, time - (now() - use.last))
        }
    }
}

/// Holds a context as long as this object is alive.
final class ContextHold: Sendable {
    private let head: ContextHead

    init(_ head: ContextHead) {
        self.head = head
        head.hold()
    }

    deinit { head.release() }
}
