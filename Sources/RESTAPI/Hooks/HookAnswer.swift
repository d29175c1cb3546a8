// SPDX-License-Identifier: Apache-2.0

// The answer to a delivery.

/// The result of an attempt.
package enum HookAnswer: Hashable, Sendable {
    /// - Parameter retryAfter: How long the receiver asks to wait before the next attempt.
    case status(Int, retryAfter: Duration? = nil)
    /// There was no answer, for a reason.
    case failed(String)
}

/// Sends a request, waits for the answer, and follows no redirects.
package typealias HookSender = @Sendable (HookRequest) -> HookAnswer
