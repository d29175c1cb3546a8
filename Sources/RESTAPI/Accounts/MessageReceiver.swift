// SPDX-License-Identifier: Apache-2.0

// The webhook that gets the messages to accounts.

import FoundationEssentials

/// Where messages are sent, and how they are signed.
package struct MessageReceiver: Sendable {
    private let hook: Hook
    private let sender: HookSender

    /// What the field `Outcrop-Hook` has.
    static let name = "accounts"

    package init(_ url: HookURL, secret: [UInt8], limits: HookLimits = HookLimits(), send: @escaping HookSender) {
        var hook = Hook(name: Self.name, url: url, secret: secret)
        hook.limits = limits
        self.hook = hook
        sender = send
    }

    var limits: HookLimits { hook.limits }

    /// Sends a message, and waits for the answer.
    func send(_ message: PendingMessage, at time: Date) -> HookAnswer {
        let seconds = Int64(time.timeIntervalSince1970)
        return sender(HookRequest(hook, delivery: message.id, body: message.message.body, seconds: seconds))
    }
}
