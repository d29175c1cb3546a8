// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// The hash of a password by scrypt (RFC 7914), with its parameters, as a text to be stored.
///
///     let hash = try PasswordHash(of: password)
///     store(hash.description)                       // $scrypt$ln=15,r=8,p=3$…$…
///     try PasswordHash(stored).matches(password)
package struct PasswordHash: Hashable, Sendable, CustomStringConvertible {
    /// What a guess costs. Memory is `128 * blockSize << exponent` bytes.
    package struct Cost: Hashable, Sendable {
        /// The base 2 logarithm of the number of iterations.
        package var exponent: Int
        package var blockSize: Int
        package var parallelism: Int

        /// 32 MB and a fraction of a second.
        package static let standard = Cost(exponent: 15, blockSize: 8, parallelism: 3)

        package init(exponent: Int, blockSize: Int, parallelism: Int) {
            self.exponent = exponent
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// A stored text can't make the server work without end, or take all memory.
        fileprivate var isAcceptable: Bool {
            1...20 ~= exponent && 1...32 ~= blockSize && 1...16 ~= parallelism && memory <= 128 << 20
        }

        fileprivate var memory: Int { 128 * blockSize << exponent }
    }

    package let cost: Cost
    private let salt: [UInt8]
    private let key: [UInt8]

    private static let keyCount = 32
    private static let saltCount = 16

    package init(of password: [UInt8], cost: Cost = .standard) throws(CryptographyError) {
        guard cost.isAcceptable else { throw .invalidHash }
        self.cost = cost
        salt = RandomBytes.make(count: Self.saltCount)
        key = try Self.key(of: password, salt, cost, count: Self.keyCount)
    }

    /// Reads the stored text.
    package init(_ text: String) throws(CryptographyError) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Cost(parts[2]), cost.isAcceptable,
            let salt = Base64.decode(String(parts[3]), .standard), 8...64 ~= salt.count,
            let key = Base64.decode(String(parts[4]), .standard), 16...64 ~= key.count
        else { throw .invalidHash }
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    package func matches(_ password: [UInt8]) throws(CryptographyError) -> Bool {
        ConstantTime.areEqual(try Self.key(of: password, salt, cost, count: key.count), key)
    }

    package var description: String {
        "$scrypt$ln=\(cost.exponent),r=\(cost.blockSize),p=\(cost.parallelism)"
            + "$\(Base64.encode(salt, .standard))$\(Base64.encode(key, .standard))"
    }

    /// The key that scrypt derives from a password.
    static func key(
        of password: [UInt8],
        _ salt: [UInt8],
        _ cost: Cost,
        count: Int
    ) throws(CryptographyError) -> [UInt8] {
        Library.prepare()
        var key = [UInt8](repeating: 0, count: count)
        let result = unsafe password.withUnsafeBytes { password in
            unsafe EVP_PBE_scrypt(
                password.assumingMemoryBound(to: CChar.self).baseAddress,
                password.count,
                salt,
                salt.count,
                1 << UInt64(cost.exponent),
                UInt64(cost.blockSize),
                UInt64(cost.parallelism),
                // The library needs a little more than the memory by the formula.
                UInt64(cost.memory + (1 << 20)),
                &key,
                count
            )
        }
        ERR_clear_error()
        guard result == 1 else { throw .failed }
        return key
    }
}

extension PasswordHash.Cost {
    /// Reads `ln=15,r=8,p=3`, as it is written.
    fileprivate init?(_ text: Substring) {
        let numbers = text.split(separator: ",").map { $0.drop { $0 != "=" }.dropFirst() }.map { Int($0) ?? 0 }
        guard numbers.count == 3 else { return nil }
        self.init(exponent: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
        guard text == "ln=\(exponent),r=\(blockSize),p=\(parallelism)" else { return nil }
    }
}
