// SPDX-License-Identifier: Apache-2.0

// How many files and sockets this process may have open.

import Glibc

enum DescriptorLimit {
    /// What is kept for stores, files, logs and the system's libraries, some of which end the process where there is none left.
    private static let reserve = 256

    /// How many connections there is room for, up to a number. The limit is raised as far as the process may by itself; systems
    /// begin with 1,024, for the sake of very old programs.
    static func room(for connections: Int) throws(ServerError) -> Int {
        let besides = reserve + Census.mostSurplus
        let (sum, overflows) = connections.addingReportingOverflow(besides)
        let obtained = raise(to: overflows ? .max : sum)
        let room = min(connections, obtained - besides)
        guard room > 0 || connections <= 0 else { throw .tooFewDescriptors(obtained, besides) }
        return room
    }

    /// Raises the limit where it is lower; what it is then.
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
