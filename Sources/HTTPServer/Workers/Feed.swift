// SPDX-License-Identifier: Apache-2.0

// Answers that go on for as long as there may be something to say.

import HTTPMessage

/// The application's end of such an answer, which ends when nobody holds it any more.
final class Feed: HTTPFeed {
    private let pipe: OutputPipe

    init(_ pipe: OutputPipe) { self.pipe = pipe }

    deinit { pipe.end() }

    func send(_ bytes: [UInt8]) -> Bool { pipe.send(bytes) }

    func end() { pipe.end() }
}
