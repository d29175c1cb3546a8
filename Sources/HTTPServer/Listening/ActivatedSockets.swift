// SPDX-License-Identifier: Apache-2.0

// Listening sockets inherited by systemd's protocol.

import Glibc

enum ActivatedSockets {
    /// The first inherited descriptor.
    private static let first: CInt = 3

    /// The descriptors that are passed to this process and listen.
    static func descriptors() throws(ServerError) -> [CInt] {
        guard variable("LISTEN_PID").flatMap({ pid_t($0) }) == getpid(),
            let count = variable("LISTEN_FDS").flatMap({ CInt($0) }), 1...1_024 ~= count
        else { throw .notActivated }
        let descriptors = (first..<first + count).filter(isListening)
        guard !descriptors.isEmpty else { throw .notActivated }
        return descriptors
    }

    private static func variable(_ name: String) -> String? {
        // The system's text is copied immediately.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    private static func isListening(_ descriptor: CInt) -> Bool {
        var answer: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &answer, &size) == 0 && answer != 0
    }
}
