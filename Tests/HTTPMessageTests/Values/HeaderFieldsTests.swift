// SPDX-License-Identifier: Apache-2.0

// Header fields.

import HTTPMessage
import Testing

@Suite("Header fields")
struct HeaderFieldsTests {
    @Test("are found whatever the case of their names is, and keep their order")
    func lookup() {
        var fields: HeaderFields = ["Accept": "a, b", "ETag": "\"3\""]
        fields.add("accept", " ,c")
        #expect(fields["etag"] == "\"3\"")
        #expect(fields[.accept] == "a, b")
        #expect(fields.list(of: .accept) == ["a", "b", "c"])
        #expect(fields.all.map(\.name) == ["Accept", "ETag", "accept"])
        fields[.accept] = nil
        #expect(fields == ["ETAG": "\"3\""])
    }

    @Test("are written as lines, into which no value can put another line")
    func writing() {
        var output: [UInt8] = []
        (["X": "a\r\nSet-Cookie: b\0", "Y": "ä"] as HeaderFields).write(into: &output)
        #expect(String(decoding: output, as: UTF8.self) == "X: aSet-Cookie: b\r\nY: ä\r\n")
    }
}
