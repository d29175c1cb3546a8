// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

@Suite struct Base64Tests {
    @Test(
        "the vectors of RFC 4648, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(bytes: String, text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(Base64.decode(text) == Array(bytes.utf8))
    }

    @Test("each alphabet has its own last two digits")
    func alphabets() {
        #expect(Base64.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64.encode([0xFB, 0xFF], .standard) == "+/8")
        #expect(Base64.decode("-_8") == [0xFB, 0xFF])
        #expect(Base64.decode("-_8", .standard) == nil)
        #expect(Base64.decode("+/8") == nil)
    }

    @Test(
        "texts that aren't written this way aren't read",
        arguments: ["A", "Zg==", "Zg=", " Zg", "Zg\n", "Zh", "Zm9", "Zm9v=", "====", "Z*9v", "Zm9vé"]
    )
    func strict(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("all lengths are read back")
    func lengths() {
        for count in 0..<100 {
            let bytes = RandomBytes.make(count: count)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }
}
