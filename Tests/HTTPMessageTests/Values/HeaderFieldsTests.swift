// SPDX-License-Identifier: Apache-2.0

// Header fields.

import HTTPMessage
import Testing

@Suite("Header fields")
struct HeaderFieldsTests {
    @Test("header fields are found regardless of case and keep their order")
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

    @Test("header fields are written as lines, and a value can't add another line")
    func writing() {
        var output: [UInt8] = []
        (["X": "a\r\nSet-Cookie: b\0", "Y": "ä"] as HeaderFields).write(into: &output)
        #expect(String(decoding: output, as: UTF8.self) == "X: aSet-Cookie: b\r\nY: ä\r\n")
    }
}
