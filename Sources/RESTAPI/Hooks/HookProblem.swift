// SPDX-License-Identifier: Apache-2.0

// Mistakes in hooks.

/// A mistake in a hook, found with the model.
package struct HookProblem: Error, Sendable {
    /// The member of the hook that has it.
    package let member: String
    package let message: String
    package let hint: String?
}
