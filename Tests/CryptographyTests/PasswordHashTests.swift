// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Cryptography

@Suite struct PasswordHashTests {
    private static let quick = PasswordHash.Cost(exponent: 4, blockSize: 1, parallelism: 1)

    @Test("the vectors of RFC 7914")
    func vectors() throws {
        func key(_ password: String, _ salt: String, _ exponent: Int, _ size: Int, _ parallel: Int) throws -> String {
            let cost = PasswordHash.Cost(exponent: exponent, blockSize: size, parallelism: parallel)
            return try PasswordHash.key(of: Array(password.utf8), Array(salt.utf8), cost, count: 64).hex
        }
        #expect(
            try key("", "", 4, 1, 1)
                == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        )
        #expect(
            try key("password", "NaCl", 10, 8, 16)
                == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        )
        #expect(
            try key("pleaseletmein", "SodiumChloride", 14, 8, 1)
                == "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        )
    }

    @Test("a stored hash matches its password only")
    func matching() throws {
        let stored = try PasswordHash(of: Array("correct horse".utf8)).description
        let hash = try PasswordHash(stored)
        #expect(hash.cost == .standard)
        #expect(hash.description == stored)
        #expect(stored.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
        #expect(try hash.matches(Array("correct horse".utf8)))
        #expect(try !hash.matches(Array("correct horses".utf8)))
        #expect(try !hash.matches([]))
    }

    @Test("a password's hashes differ by their salts, and passwords may be empty or have zeros")
    func salts() throws {
        let password: [UInt8] = [0, 1, 0]
        let one = try PasswordHash(of: password, cost: Self.quick)
        #expect(one != (try PasswordHash(of: password, cost: Self.quick)))
        #expect(try one.matches(password))
        #expect(try !one.matches([0, 2, 0]))
        #expect(try PasswordHash(of: [], cost: Self.quick).matches([]))
    }

    @Test(
        "texts that aren't hashes, or whose parameters would cost too much, are refused",
        arguments: [
            "", "$scrypt$", "$argon2id$ln=4,r=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5",
            "$scrypt$ln=31,r=8,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5",
            "$scrypt$ln=20,r=32,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5",
            "$scrypt$ln=-1,r=8,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5",
            "$scrypt$ln=4,r=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5",
            "$scrypt$ln=04,r=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5",
            "$scrypt$ln=4,r=1,p=1$$a2V5a2V5a2V5a2V5a2V5a2V5", "$scrypt$ln=4,r=1,p=1$c2FsdHNhbHQ$a2V5",
            "$scrypt$ln=4,r=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5$more",
        ]
    )
    func refused(text: String) {
        #expect(throws: CryptographyError.invalidHash) { try PasswordHash(text) }
    }

    @Test("the text before the mistakes is a hash")
    func accepted() throws {
        _ = try PasswordHash("$scrypt$ln=4,r=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5")
    }
}
