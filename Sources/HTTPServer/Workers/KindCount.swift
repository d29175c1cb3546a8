// SPDX-License-Identifier: Apache-2.0

// How many there are of both kinds of jobs.

/// Counts jobs that may block apart from those that don't.
struct KindCount {
    private var blocking = 0
    private var others = 0

    /// How many there are of both.
    var all: Int { blocking + others }

    subscript(mayBlock mayBlock: Bool) -> Int {
        get { mayBlock ? blocking : others }
        set { if mayBlock { blocking = newValue } else { others = newValue } }
    }
}
