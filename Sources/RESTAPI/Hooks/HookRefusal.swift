// SPDX-License-Identifier: Apache-2.0

// Why a receiver hasn't accepted a delivery.

struct HookRefusal: Error {
    let status: Int?
    let reason: String
    /// How long to wait, if the receiver is only busy and says so.
    let retryAfter: Duration?

    /// Nil if the receiver has accepted the delivery.
    init?(_ answer: HookAnswer) {
        switch answer {
        case .status(200..<300, _): return nil
        case .status(let status, let retryAfter):
            self.status = status
            self.retryAfter = [429, 503].contains(status) ? retryAfter : nil
            reason = "The receiver answered with \(status)."
        case .failed(let reason):
            status = nil
            retryAfter = nil
            self.reason = reason
        }
    }

    /// Whether the receiver says that it doesn't exist any more.
    var isFinal: Bool { status == 410 }
}
