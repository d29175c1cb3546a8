// SPDX-License-Identifier: Apache-2.0

// Dates relative to a fixed day, so that a seed always yields the same dates.

enum DemoCalendar {
    static let day = 86_400.0
    /// Noon of 2026-09-01, in seconds since the reference date.
    static let today = 809_956_800.0

    /// A function from an object's creation time to a date that suits the name.
    static func moment(for hint: NameHint) -> @Sendable (Double, inout DemoRandom) -> Double {
        switch true {
        case hint.has("birth", "born", "dob", "birthday", "birthdate"):
            { _, random in midnight(today - (18 + random.fraction() * 60) * 365.25 * day) }
        case hint.has("created", "joined", "registered", "added", "published", "posted", "sent", "inserted"):
            { moment, _ in moment }
        case hint.has("updated", "modified", "edited", "changed", "last", "synced", "seen", "read"):
            { moment, random in min(today, moment + (random.fraction() * 30 * day).rounded()) }
        case hint.has("due", "deadline", "expires", "expiry", "expiration", "end", "ends", "until", "finish", "arrival"):
            { moment, random in moment + ((1 + random.fraction() * 59) * day).rounded() }
        case hint.has("start", "starts", "begin", "begins", "from", "departure"):
            { moment, random in moment + (random.fraction() * day).rounded() }
        default: { moment, random in moment + (random.fraction() * 3600).rounded() }
        }
    }

    private static func midnight(_ seconds: Double) -> Double { (seconds / day).rounded(.down) * day }
}
