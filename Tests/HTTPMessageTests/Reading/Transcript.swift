// SPDX-License-Identifier: Apache-2.0

// A reader's results in a form that doesn't depend on how the bytes were split.

import HTTPMessage

struct Transcript: Equatable {
    struct Request: Equatable {
        var head: HTTPRequestHead
        var body: [UInt8] = []
        var isComplete = false

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    var requests: [Request] = []
    var refusal: HTTPRefusal?

    /// Whether every request is complete.
    var isComplete: Bool { requests.allSatisfy(\.isComplete) }

    /// Passes bytes to a new reader in pieces.
    init(of pieces: [[UInt8]], limits: HTTPReadLimits = HTTPReadLimits()) {
        var reader = HTTPRequestReader(limits: limits)
        for piece in pieces {
            reader.receive(piece)
            read(&reader)
        }
    }

    init(of text: String, limits: HTTPReadLimits = HTTPReadLimits()) {
        self.init(of: [Array(text.utf8)], limits: limits)
    }

    private mutating func read(_ reader: inout HTTPRequestReader) {
        do throws(HTTPRefusal) {
            while true {
                switch try reader.next() {
                case .needMore: return
                case .head(let head): requests.append(Request(head: head))
                case .body(let bytes): requests[requests.count - 1].body += bytes
                case .end: requests[requests.count - 1].isComplete = true
                }
            }
        } catch {
            refusal = error
        }
    }
}
