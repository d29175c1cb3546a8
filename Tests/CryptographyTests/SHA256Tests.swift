// SPDX-License-Identifier: Apache-2.0

// SHA-256 against the standard's examples, and at lengths around the padding boundaries.

import Cryptography
import TestSupport
import Testing

@Suite struct SHA256Tests {
    @Test(
        "the standard's examples have their published digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                    + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ].map { (LongText($0), $1) }
    )
    func standardExamples(message: LongText, digest: String) {
        #expect(SHA256.digest(of: Array(message.text.utf8)).hex == digest)
    }

    @Test(
        "messages around a block boundary have the correct digests",
        arguments: [
            (55, "463eb28e72f82e0a96c0a4cc53690c571281131f672aa229e0d45ae59b598b59"),
            (56, "da2ae4d6b36748f2a318f23e7ab1dfdf45acdc9d049bd80e59de82a60895f562"),
            (57, "2fe741af801cc238602ac0ec6a7b0c3a8a87c7fc7d7f02a3fe03d1c12eac4d8f"),
            (63, "29af2686fd53374a36b0846694cc342177e428d1647515f078784d69cdb9e488"),
            (64, "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108"),
            (65, "4bfd2c8b6f1eec7a2afeb48b934ee4b2694182027e6d0fc075074f2fabb31781"),
            (119, "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6"),
            (120, "f52b23db1fbb6ded89ef42a23ce0c8922c45f25c50b568a93bf1c075420bbb7c"),
            (128, "471fb943aa23c511f6f72f8d1652d9c880cfa392ad80503120547703e56a2be5"),
        ]
    )
    func blockBorders(count: Int, digest: String) {
        let message = (0..<count).map { UInt8($0 % 251) }
        #expect(SHA256.digest(of: message).hex == digest)
    }

    @Test("a message in pieces has the digest of the whole, and more can be added after a digest was taken")
    func pieces() {
        let message = (0..<1_000).map { UInt8($0 % 251) }
        var hash = SHA256()
        var start = 0
        for count in [0, 1, 63, 64, 65, 200, 607] {
            hash.add(Array(message[start..<(start + count)]))
            start += count
            #expect(hash.digest == SHA256.digest(of: Array(message[..<start])))
        }
    }

    @Test("a copy of a hash goes on by itself")
    func copies() {
        var hash = SHA256()
        hash.add(Array("ab".utf8))
        var copy = hash
        copy.add(Array("c".utf8))
        hash.add(Array("d".utf8))
        #expect(copy.digest == SHA256.digest(of: Array("abc".utf8)))
        #expect(hash.digest == SHA256.digest(of: Array("abd".utf8)))
    }
}
