// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The application's end of an open-ended response. Releasing it ends the response.
final class Feed: HTTPFeed {
    private let pipe: OutputPipe

    init(_ pipe: OutputPipe) { self.pipe = pipe }

    deinit { pipe.end() }

    func send(_ bytes: [UInt8]) -> Bool { pipe.send(bytes) }

    func whenDrained(_ body: @escaping @Sendable () -> Void) { pipe.whenDrained(body) }

    func end() { pipe.end() }
}
