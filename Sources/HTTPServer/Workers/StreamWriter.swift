// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// Writes a body to a pipe. The response begins with the first bytes, so that an earlier failure can still be answered.
final class StreamWriter: HTTPBodyWriter {
    private let pipe: OutputPipe
    private let length: Int?
    private let begin: () -> Void
    private var count = 0
    private(set) var hasBegun = false

    init(_ pipe: OutputPipe, length: Int?, begin: @escaping () -> Void) {
        self.pipe = pipe
        self.length = length
        self.begin = begin
    }

    func write(_ bytes: [UInt8]) throws {
        if let length, bytes.count > length - count { throw HTTPConnectionError.lengthExceeded(length) }
        count += bytes.count
        try pipe.write(bytes)
        start()
    }

    func finish() throws {
        if let length, count < length { throw HTTPConnectionError.lengthNotReached(length, count) }
        pipe.end()
        start()
    }

    private func start() {
        guard !hasBegun else { return }
        hasBegun = true
        begin()
    }
}
