// SPDX-License-Identifier: Apache-2.0

import Cryptography

extension String {
    /// The text, or its hash if it is long, so that keys from requests take bounded memory.
    var bounded: String {
        utf8.count <= 64 ? self : "sha256 " + Base64.encode(SHA256.digest(of: Array(utf8)))
    }
}
