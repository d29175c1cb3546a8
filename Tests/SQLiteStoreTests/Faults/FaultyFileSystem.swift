// SPDX-License-Identifier: Apache-2.0

// A file system that fails on request, for the tests.

import FaultyFiles
import LedgerProgram
import SQLiteStore

/// A file system with its own SQLite name, for the stores that are opened with it.
final class FaultyFileSystem: Sendable {
    private let number = faulty_make()

    enum Operation: Int32, CaseIterable, Sendable {
        case open, read, write, sync, truncate, delete, size, access, lock, sharedMap, sharedLock

        /// The result code that SQLite gets by default: can't open, or the kind of disk error.
        var code: Int32 {
            switch self {
            case .open: 14
            case .read: 10 | 1 << 8
            case .write: 10 | 3 << 8
            case .sync: 10 | 4 << 8
            case .truncate: 10 | 6 << 8
            case .delete: 10 | 10 << 8
            case .size: 10 | 7 << 8
            case .access: 10 | 13 << 8
            case .lock: 10 | 15 << 8
            case .sharedMap: 10 | 21 << 8
            case .sharedLock: 10 | 20 << 8
            }
        }
    }

    /// A failing operation, and how it fails.
    struct Fault: Sendable, CustomStringConvertible {
        var operation: Operation
        var code: Int32
        /// Whether all later operations fail as well.
        var lasts = false
        /// Whether half of the bytes are written.
        var isCut = false

        var description: String {
            "\(operation) with \(code)" + (lasts ? ", from then on" : "") + (isCut ? ", half done" : "")
        }

        static let all =
            Operation.allCases.flatMap { operation in
                [false, true].map { Fault(operation: operation, code: operation.code, lasts: $0) }
            } + [
                Fault(operation: .write, code: SQLiteCode.full, isCut: true),
                Fault(operation: .write, code: SQLiteCode.full, lasts: true),
                Fault(operation: .write, code: Operation.write.code, isCut: true),
                Fault(operation: .lock, code: SQLiteCode.busy), Fault(operation: .sharedLock, code: SQLiteCode.busy),
            ]
    }

    private enum SQLiteCode {
        static let busy: Int32 = 5
        static let full: Int32 = 13
    }

    deinit { faulty_remove(number) }

    /// Options for stores in this file system, which don't wait for locks and have a small cache.
    var options: SQLiteStoreOptions {
        var options = SQLiteStoreOptions()
        options.fileSystem = "faulty\(number)"
        options.busyTimeout = .zero
        options.cacheSize = 16
        return options
    }

    func fail(_ n: Int, _ fault: Fault) {
        faulty_fail(number, fault.operation.rawValue, Int64(n), fault.code, fault.lasts, fault.isCut)
    }

    /// Ends all faults, and returns the number of failed operations.
    @discardableResult
    func mend() -> Int {
        faulty_mend(number)
        return Int(faulty_failures(number))
    }

    /// The number of bytes that SQLite has read.
    var bytesRead: Int { Int(faulty_bytes_read(number)) }

    func setReadOnly(_ isReadOnly: Bool) { faulty_make_read_only(number, isReadOnly) }

    /// Records writes that aren't synced.
    func watchPower() { faulty_watch_power(number) }

    /// Ends all output with the n-th write or sync from now on.
    func losePower(after n: Int) { faulty_lose_power(number, Int64(n)) }

    func losePower() { faulty_lose_power(number, 0) }

    /// Restores the synced content of the files, and a random part of the rest.
    func restorePower(seed: UInt64, kept percent: Int) -> Bool { faulty_restore_power(number, seed, Int32(percent)) }
}
