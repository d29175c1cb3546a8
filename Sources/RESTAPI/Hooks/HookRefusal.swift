// SPDX-License-Identifier: Apache-2.0

// Why a receiver hasn't accepted a delivery.

struct HookRefusal: Error {
    let status: Int?
    let reason: String

    /// Nil if the receiver has accepted the delivery.
    init?(_ answer: HookAnswer) {
        switch answer {
        case .status(200..<300): return nil
        case .status(let status):
            self.status = status
            reason = "The receiver answered with \(status)."
        case .failed(let reason):
            status = nil
            self.reason = reason
        }
    }
}
