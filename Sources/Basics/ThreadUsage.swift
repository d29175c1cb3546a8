// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the system has counted for a thread since its start.
package struct ThreadUsage: Equatable, Sendable {
    /// The time in which it ran.
    package var processorTime: Duration
    /// How often it waited: for the disk, a lock or another thread. Time in which others ran instead isn't waiting.
    package var waits: Int

    package init(processorTime: Duration, waits: Int) {
        self.processorTime = processorTime
        self.waits = waits
    }

    /// `RUSAGE_THREAD`, which the module of Glibc lacks.
    private static let thread: CInt = 1

    /// That of the calling thread.
    package static func current() -> ThreadUsage {
        var usage = rusage()
        unsafe getrusage(thread, &usage)
        return ThreadUsage(
            processorTime: Duration(usage.ru_utime) + Duration(usage.ru_stime),
            waits: usage.ru_nvcsw
        )
    }
}

extension Duration {
    fileprivate init(_ time: timeval) { self = .seconds(time.tv_sec) + .microseconds(time.tv_usec) }
}
