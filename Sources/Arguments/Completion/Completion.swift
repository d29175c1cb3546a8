// SPDX-License-Identifier: Apache-2.0

/// The shell's suggestions for a value without choices.
package enum Completion: Sendable, Equatable {
    case none
    /// Files with one of these extensions, or any file if there are none, and directories.
    case file([String])
    case directory
}
