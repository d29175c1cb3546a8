// SPDX-License-Identifier: Apache-2.0

// A receiver that isn't on a network.

import FoundationEssentials
import HTTPMessage
import JSON
import Synchronization
import Testing

@testable import RESTAPI

/// Answers deliveries with a closure, and records them.
final class ScriptedReceiver: Sendable {
    struct Delivery: Sendable {
        let id: String
        let body: JSONValue
        let fields: HeaderFields

        /// `updated tags/1`
        var changes: [String] {
            (body["changes"]?.array ?? []).map { "\($0["change"]?.string ?? "") \($0["_id"]?.string ?? "")" }
        }
    }

    private let received = Mutex<[Delivery]>([])
    private let answer = Mutex<@Sendable (Delivery) -> HookAnswer>({ _ in .status(204) })

    var deliveries: [Delivery] { received.withLock(\.self) }

    func answer(_ answer: @escaping @Sendable (Delivery) -> HookAnswer) { self.answer.withLock { $0 = answer } }

    func answer(with status: Int) { answer { _ in .status(status) } }

    func receive(_ request: HookRequest) -> HookAnswer {
        let seconds = Int64(request.fields["Outcrop-Timestamp"] ?? "") ?? 0
        let secret = Array("0123456789abcdef".utf8)
        #expect(
            request.fields["Outcrop-Signature"]
                == HookRequest.signature(of: request.body, seconds: seconds, secret: secret)
        )
        let delivery = Delivery(
            id: request.fields["Outcrop-Delivery"] ?? "",
            body: (try? JSONValue(parsing: request.body)) ?? .null,
            fields: request.fields
        )
        received.withLock { $0.append(delivery) }
        return answer.withLock(\.self)(delivery)
    }
}
