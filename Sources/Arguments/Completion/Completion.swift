// SPDX-License-Identifier: Apache-2.0
// What kind of value a parameter takes, as far as a shell can help with it.

/// What a shell offers for a value that has no choices.
public enum Completion: Sendable, Equatable {
    case none
    /// Files with one of these extensions, or any if there are none; and the directories on the way.
    case file([String])
    case directory
}
