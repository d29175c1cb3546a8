// SPDX-License-Identifier: Apache-2.0

// Sends while a test receives.

import Dispatch
import Glibc
import HTTPTestClient

/// Sends pieces on a thread of its own, through a descriptor of its own.
final class Sender {
    private let done = DispatchSemaphore(value: 0)

    init(_ client: TestClient, _ pieces: [[UInt8]]) throws {
        let copy = dup(client.descriptor)
        guard copy >= 0 else { throw TestClient.Failure(description: "no descriptor") }
        DispatchQueue(label: "sender").async { [done] in
            let sender = TestClient(taking: copy)
            for piece in pieces { try? sender.send(piece) }
            done.signal()
        }
    }

    func join() { done.wait() }
}
