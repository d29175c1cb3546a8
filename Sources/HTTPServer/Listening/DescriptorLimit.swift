// SPDX-License-Identifier: Apache-2.0

// The limit on the process's open files and sockets.

import Glibc

enum DescriptorLimit {
    /// Descriptors reserved for stores, files, logs and system libraries, some of which abort the process without them.
    private static let reserve = 256

    /// How many of the wanted connections are possible. Raises the soft limit if necessary: its default of
    /// 1,024 exists for very old programs.
    static func room(for connections: Int) throws(ServerError) -> Int {
        let besides = reserve + ConnectionCounter.maximumSurplus
        let (sum, overflows) = connections.addingReportingOverflow(besides)
        let obtained = raise(to: overflows ? .max : sum)
        let room = min(connections, obtained - besides)
        guard room > 0 || connections <= 0 else { throw .tooFewDescriptors(obtained, besides) }
        return room
    }

    /// Raises the limit if it is lower, and returns the resulting limit.
    private static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(kind, &limit) == 0 else { return wanted }
        if limit.rlim_cur < rlim_t(wanted) {
            let before = limit.rlim_cur
            limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            if unsafe setrlimit(kind, &limit) != 0 { limit.rlim_cur = before }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
