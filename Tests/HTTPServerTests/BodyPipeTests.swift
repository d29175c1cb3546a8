// SPDX-License-Identifier: Apache-2.0

// The pipe between a loop and the reader of a body.

import Testing

@testable import HTTPServer

@Suite("Body pipe")
struct BodyPipeTests {
    @Test("a body pipe joins pieces")
    func tinyPieces() throws {
        let pipe = BodyPipe(limit: 1_000) {}
        for _ in 0..<500 { #expect(pipe.append([7])) }
        #expect(try pipe.read() == [UInt8](repeating: 7, count: 500))
        pipe.end()
        #expect(try pipe.read() == nil)
    }

    @Test("a body pipe reports when it is full, and requests more when there is room")
    func room() throws {
        let asked = Count()
        let pipe = BodyPipe(limit: 3) { asked.add(1) }
        #expect(pipe.append([1, 2]))
        #expect(try pipe.read() == [1, 2])
        let before = asked.value
        #expect(pipe.append([3, 4]))
        #expect(!pipe.append([5]))
        #expect(asked.value == before)
        #expect(try pipe.read() == [3, 4, 5])
        #expect(asked.value == before + 1)
        #expect(pipe.append([6]))
    }

    @Test("a failed body pipe discards its contents")
    func failure() {
        let pipe = BodyPipe(limit: 3) {}
        #expect(pipe.append([1]))
        pipe.fail(HTTPConnectionError.clientGone)
        #expect(throws: HTTPConnectionError.self) { try pipe.read() }
    }
}
