// SPDX-License-Identifier: Apache-2.0

// The texts of version hashes.

import ObjectModel
import Testing

@Suite struct VersionHashTextTests {
    @Test("a version hash has 32 bytes and a hexadecimal and a base 64 form")
    func texts() throws {
        let hash = try #require(VersionHash(0..<32))
        #expect(hash.description == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect(hash.base64 == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        #expect(VersionHash(0..<31) == nil)
        #expect(VersionHash(0..<33) == nil)
    }
}
