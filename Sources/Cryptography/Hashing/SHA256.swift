// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// The SHA-256 digest of a message that is added whole or in pieces.
///
///     var hash = SHA256()
///     while let piece = try body.read() { hash.add(piece) }
///     let digest = hash.digest
package struct SHA256: Sendable {
    static let count = 32

    private var state = DigestState()

    package init() {}

    package static func digest(of message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        let result = unsafe EVP_Digest(message, message.count, &digest, nil, MessageDigest.sha256.pointer, nil)
        precondition(result == 1, "OpenSSL has no memory")
        return digest
    }

    /// Adds the next bytes of the message.
    package mutating func add(_ bytes: [UInt8]) {
        if !isKnownUniquelyReferenced(&state) { state = DigestState(copying: state) }
        state.add(bytes)
    }

    /// The digest of the bytes so far; more can be added afterwards.
    package var digest: [UInt8] { DigestState(copying: state).end() }
}

/// The state of a digest. It fails only without memory, as arrays do.
///
/// Unchecked, since it is changed only by a hash that has the only reference. Safe to use: it owns the context, and pointers
/// are used within one call.
@safe
private final class DigestState: @unchecked Sendable {
    private let context: OpaquePointer

    init() {
        unsafe context = Self.makeContext()
        let result = unsafe EVP_DigestInit_ex2(context, MessageDigest.sha256.pointer, nil)
        precondition(result == 1, "OpenSSL has no memory")
    }

    init(copying other: DigestState) {
        unsafe context = Self.makeContext()
        let result = unsafe EVP_MD_CTX_copy_ex(context, other.context)
        precondition(result == 1, "OpenSSL has no memory")
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func add(_ bytes: [UInt8]) {
        let result = unsafe EVP_DigestUpdate(context, bytes, bytes.count)
        precondition(result == 1, "the digest has ended")
    }

    func end() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.count)
        let result = unsafe EVP_DigestFinal_ex(context, &digest, nil)
        precondition(result == 1, "the digest has ended")
        return digest
    }

    private static func makeContext() -> OpaquePointer {
        guard let context = unsafe EVP_MD_CTX_new() else { fatalError("OpenSSL has no memory") }
        return unsafe context
    }
}
