// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// A hash function of OpenSSL.
///
/// Unchecked, since it is never changed after it was fetched. Safe to use: it is never freed.
@safe
struct MessageDigest: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Fetched once, since each search takes a lock.
    static let sha256 = MessageDigest("SHA256")

    private init(_ name: String) {
        Library.prepare()
        guard let digest = unsafe EVP_MD_fetch(nil, name, nil) else { fatalError("OpenSSL has no \(name)") }
        unsafe pointer = digest
    }
}
