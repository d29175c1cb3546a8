// SPDX-License-Identifier: Apache-2.0

// What hooks report.

/// Something about a hook for the log.
package struct HookEvent: Sendable {
    package enum Level: Sendable { case info, warning, error }

    package let level: Level
    package let hook: String
    package let message: String
}
