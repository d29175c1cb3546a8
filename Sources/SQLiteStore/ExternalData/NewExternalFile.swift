// SPDX-License-Identifier: Apache-2.0

// The files of values until a row names them.

import Files
import FoundationEssentials
import Synchronization

/// A file that no row names yet. It is removed when this object is released, unless a row names it by then.
//
//     free ── claim() ──▶ claimed ── keep() ──▶ kept
//      ▲ │                  │ │
//      │ └─ deinit: removed │ └─ deinit: removed
//      └──── unclaim() ────┘
final class NewExternalFile: Sendable {
    private enum State {
        case free
        /// A save is about to name it in a row.
        case claimed
        case kept
    }

    let name: ExternalFileName
    let path: String
    /// Protects the file from being removed as an orphan.
    private let lock: OpenFolder
    private let state = Mutex(State.free)

    init(in folder: ExternalFolder, _ lock: OpenFolder) {
        name = ExternalFileName()
        path = folder.path(of: name)
        self.lock = lock
    }

    deinit {
        if state.withLock({ $0 != .kept }) { try? FileSystem.remove(path) }
    }

    /// Returns whether the caller may name the file in a row.
    func claim() -> Bool {
        state.withLock { state in
            guard state == .free else { return false }
            state = .claimed
            return true
        }
    }

    /// Allows other saves to claim the file, unless a row names it.
    func unclaim() {
        state.withLock { if $0 == .claimed { $0 = .free } }
    }

    func keep() { state.withLock { $0 = .kept } }
}

/// A staged file and its value.
final class StagedFile: Sendable {
    let file: NewExternalFile
    let data: Data

    init(_ file: NewExternalFile, _ data: Data) {
        self.file = file
        self.data = data
    }
}
