// SPDX-License-Identifier: Apache-2.0

// The answer to a delivery.

/// The result of an attempt.
package enum HookAnswer: Hashable, Sendable {
    case status(Int)
    /// There was no answer, for a reason.
    case failed(String)
}

/// Sends a request, waits for the answer, and follows no redirects.
package typealias HookSender = @Sendable (HookRequest) -> HookAnswer
