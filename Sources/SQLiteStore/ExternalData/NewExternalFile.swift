// SPDX-License-Identifier: Apache-2.0

// Files of values until a row names them.

import Files
import FoundationEssentials
import Synchronization

/// A file that no row names yet, and that is removed with this object unless one does.
//
//     free ── claim() ──▶ claimed ── keep() ──▶ kept
//      ▲ │                  │ │
//      │ └─ deinit: removed │ └─ deinit: removed
//      └──── giveBack() ────┘
final class NewExternalFile: Sendable {
    private enum State {
        case free
        /// Some save is about to have a row name it.
        case claimed
        case kept
    }

    let name: ExternalFileName
    let path: String
    /// While it is held nobody takes the file for one that was left behind.
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

    /// Whether the caller is the one that may have a row name it.
    func claim() -> Bool {
        state.withLock { state in
            guard state == .free else { return false }
            state = .claimed
            return true
        }
    }

    /// Lets others claim it, unless some row names it by now.
    func giveBack() {
        state.withLock { if $0 == .claimed { $0 = .free } }
    }

    func keep() { state.withLock { $0 = .kept } }
}

/// A file that was staged, and the value that it has.
final class StagedFile: Sendable {
    let file: NewExternalFile
    let data: Data

    init(_ file: NewExternalFile, _ data: Data) {
        (self.file, self.data) = (file, data)
    }
}
