// SPDX-License-Identifier: Apache-2.0

// What of a hook survives the process, besides its position and its dead letters.

import FoundationEssentials
import JSON

/// The part of a hook's state that is kept.
struct HookMemory: Equatable, Sendable {
    var state = HookSchedule.State.active
    /// How often the history was trimmed, or replaced, before it was read, and when for the last time.
    var losses = 0
    var lastLoss: Date?
    /// The number of dead letters that were removed because there were too many.
    var droppedLetters = 0
    /// The failures of the delivery that is being tried.
    var failing: Failing?

    struct Failing: Equatable, Sendable {
        let delivery: String
        var attempts: Int
        var since: Date
    }
}

extension HookMemory {
    init(json: JSONValue) {
        state = json["state"]?.string.flatMap(HookSchedule.State.init) ?? .active
        losses = json["losses"]?.int64.map { Int($0) } ?? 0
        lastLoss = json["lastLoss"]?.date
        droppedLetters = json["droppedLetters"]?.int64.map { Int($0) } ?? 0
        guard let failing = json["failing"], let delivery = failing["delivery"]?.string,
            let attempts = failing["attempts"]?.int64, let since = failing["since"]?.date
        else { return }
        self.failing = Failing(delivery: delivery, attempts: Int(attempts), since: since)
    }

    var json: JSONValue {
        [
            "state": .string(state.rawValue),
            "losses": .integer(losses),
            "lastLoss": lastLoss.map(JSONValue.date) ?? .null,
            "droppedLetters": .integer(droppedLetters),
            "failing": failing.map { failing in
                [
                    "delivery": .string(failing.delivery), "attempts": .integer(failing.attempts),
                    "since": .date(failing.since),
                ]
            } ?? .null,
        ]
    }
}
