// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// The set-up of OpenSSL.
enum Library {
    /// Sets OpenSSL up before its first use. It doesn't clean up at the end of the process, when other threads may still use it.
    static func prepare() { _ = isReady }

    private static let isReady = OPENSSL_init_crypto(outcrop_no_cleanup, nil) == 1
}
