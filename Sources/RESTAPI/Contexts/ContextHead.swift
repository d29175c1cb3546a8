// SPDX-License-Identifier: Apache-2.0

// What is known of an editing context without its objects.

import FoundationEssentials
import Synchronization

/// An editing context as it is listed, kept from ending and ended, be it in memory or in its file alone.
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
        /// How many requests are at work in it, and feeds open on it, which keep it from ending by itself.
        var holders = 0
    }

    init(
        number: Int,
        _ settings: ContextSettings,
        parent: ContextHead?,
        created: Date,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        (self.number, self.settings, self.parent, self.created) = (number, settings, parent, created)
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

    /// The context at the top of its line of parents.
    var root: ContextHead { parent?.root ?? self }

    /// Whether it is another one, or descends from it.
    func isBelow(_ other: ContextHead) -> Bool { self === other || parent?.isBelow(other) == true }

    /// Whether what others save reaches it.
    var merges: Bool { settings.automaticallyMergesChanges && parent?.merges ?? true }

    /// What its clients should know, or nil.
    var notice: String? {
        guard isRecovered.load(ordering: .relaxed) else { return nil }
        return
            "The server came to its end right after a save: what is pending was saved, and what could be undone is not known any more."
    }

    /// Records that its last save is known from the stores alone.
    func recover() { isRecovered.store(true, ordering: .relaxed) }

    // MARK: Use

    /// Keeps it in memory, and from ending by itself, until it is released.
    func hold() { use.withLock { $0.holders += 1 } }

    func release() {
        use.withLock { use in
            use.holders -= 1
            use.last = now()
        }
        parent?.touch()
    }

    /// A child's use is its parent's as well.
    private func touch() {
        use.withLock { $0.last = now() }
        parent?.touch()
    }

    var isHeld: Bool { use.withLock { $0.holders > 0 } }

    var lastUse: ContinuousClock.Instant { use.withLock(\.last) }

    func isIdle(after time: Duration) -> Bool {
        use.withLock { $0.holders == 0 && now() - $0.last >= time }
    }

    /// How long it goes on if it isn't used.
    func remaining(of time: Duration) -> Duration {
        use.withLock { use in
            use.holders > 0 ? time : max(.zero, time - (now() - use.last))
        }
    }
}

/// Holds a context for as long as this lives.
final class ContextHold: Sendable {
    private let head: ContextHead

    init(_ head: ContextHead) {
        self.head = head
        head.hold()
    }

    deinit { head.release() }
}
