// SPDX-License-Identifier: Apache-2.0

import Files
import TestSupport
import Testing

@Suite("Locks between processes")
struct FileLockTests {
    @Test("a lock is held until it is released, and its file is for its owner alone")
    func holding() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/lock"
            let lock = try FileLock(path, waiting: .zero)
            let error = #expect(throws: FileError.self) { try FileLock(path, waiting: .milliseconds(20)) }
            #expect(error?.reason == "another program keeps it locked")
            #expect(FileSystem.permissions(of: path) == 0o600)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("a released lock can be acquired again")
    func releasing() throws {
        try Checkout.withFolder { folder in
            for _ in 0..<2 { _ = try FileLock(folder + "/lock", waiting: .zero) }
        }
    }

    @Test("a missing folder is an error")
    func missingFolder() throws {
        try Checkout.withFolder { folder in
            let error = #expect(throws: FileError.self) { try FileLock(folder + "/none/lock", waiting: .zero) }
            #expect(error?.code == .missing)
        }
    }
}
