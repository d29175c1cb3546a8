// SPDX-License-Identifier: Apache-2.0

// How many files and sockets this process may have open.

import Glibc

enum DescriptorLimit {
    /// Raises the limit as far as the process may by itself; systems begin with 1,024, for the sake of very old programs.
    static func raise(to wanted: Int) {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < rlim_t(wanted) else { return }
        limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
        unsafe setrlimit(kind, &limit)
    }
}
