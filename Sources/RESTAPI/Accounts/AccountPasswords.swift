// SPDX-License-Identifier: Apache-2.0

// Hashes of passwords.

import Cryptography
import Synchronization

/// Makes and compares hashes of passwords, a few at a time, since each takes 32 MB and a fraction of a second.
final class AccountPasswords: Sendable {
    /// Requests with a password are answered in so many lanes.
    static let laneCount = 2
    /// How many are hashed at the same time at most. It is reached only without lanes.
    private static let limit = 8
    static let minimumLength = 8
    static let maximumSize = 1_024

    private let cost: PasswordHash.Cost
    /// What passwords are compared with that no account has.
    private let decoy: PasswordHash
    private let running = Mutex(0)

    init(cost: PasswordHash.Cost) throws(CryptographyError) {
        self.cost = cost
        let salt = Base64.encode(RandomBytes.make(count: 16), .standard)
        let key = Base64.encode(RandomBytes.make(count: 32), .standard)
        decoy = try PasswordHash(
            "$scrypt$ln=\(cost.exponent),r=\(cost.blockSize),p=\(cost.parallelism)$\(salt)$\(key)"
        )
    }

    /// The hash of a password, as it is stored.
    func hash(_ password: String) throws -> String {
        try limited { try PasswordHash(of: Array(password.utf8), cost: cost).description }
    }

    /// Whether a stored hash has the present costs.
    func isCurrent(_ stored: String?) -> Bool { stored.flatMap { try? PasswordHash($0) }?.cost == cost }

    /// Whether a password is the one with a stored hash. Without one it takes as long.
    func matches(_ password: String, _ stored: String?) throws -> Bool {
        let hash = stored.flatMap { try? PasswordHash($0) }
        return try limited { try (hash ?? decoy).matches(Array(password.utf8)) } && hash != nil
    }

    private func limited<Result>(_ body: () throws -> Result) throws -> Result {
        let isPermitted = running.withLock { running in
            guard running < Self.limit else { return false }
            running += 1
            return true
        }
        guard isPermitted else { throw Problem.busy }
        defer { running.withLock { $0 -= 1 } }
        return try body()
    }
}
