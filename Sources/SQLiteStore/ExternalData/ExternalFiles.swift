// SPDX-License-Identifier: Apache-2.0

// The files of a store's large values: writing, reading, and removing them when no reader needs them.

import Files
import FoundationEssentials
import Predicates
import Synchronization

/// The large values of one open store.
//
// Invariants:
// 1. A committed row never names a missing file: a file and its folder are synced before the transaction that names the
//    file commits.
// 2. At most one column of one row names a file, and a file is never overwritten.
// 3. A file that no row names is removed if its save failed, had conflicts, or was never tried. If a commit failed but
//    may have reached the disk, the file stays and is treated as in 6.
// 4. A file that a commit has released is removed after the commit, once all readers that began before it have ended:
//    `ReadPin`. What they have opened or mapped stays readable. No file that a row has named is removed while any
//    process copies the store: `ExternalFolder.lockForCopying`. It is then treated as in 6.
// 5. Files that are waiting for 3 or 4 are protected by a shared lock on the folder. Files of other processes are
//    removed only under the exclusive lock.
// 6. What a crash leaves is removed after the next opening for writing: files named by a UUID, older than the opening,
//    that no column of the database names, whether or not its entity is known.
final class ExternalFiles: Sendable {
    let folder: ExternalFolder
    /// The largest value that is stored in its row.
    let threshold: Int
    let openedAt = Date()
    private let state = Mutex(State())

    private struct State {
        var isFolderMade = false
        /// Incremented by each release.
        var epoch = 0
        /// The number of readers by the epoch in which they began.
        var readers: [Int: Int] = [:]
        var released: [Release] = []
        var staged: [WeakStagedFile] = []
    }

    private struct Release {
        /// The last epoch in which readers of the files may have begun.
        let epoch: Int
        let names: [ExternalFileName]
        let lock: OpenFolder?
    }

    private struct WeakStagedFile: Sendable {
        weak let file: StagedFile?
    }

    init(_ folder: ExternalFolder, threshold: Int) {
        self.folder = folder
        self.threshold = threshold
    }
}

// MARK: Reading

extension ExternalFiles {
    /// The value of a column's bytes. It is null if the file is missing or the bytes are invalid.
    func value(_ stored: [UInt8]) -> Value {
        switch ExternalValue(stored: stored) {
        case .inline(let bytes): .data(Data(bytes))
        case .file(let name): data(at: folder.path(of: name)).map(Value.data) ?? .null
        case nil: .null
        }
    }

    /// The content of a file, mapped so that pages are loaded when they are read.
    func data(at path: String) -> Data? {
        let place = URL(filePath: path)
        // Empty files can't be mapped, and the number of mappings is limited.
        return (try? Data(contentsOf: place, options: .alwaysMapped)) ?? (try? Data(contentsOf: place))
    }

    /// Prevents the removal of files that are readable now until the pin is released.
    func pin() -> ReadPin {
        state.withLock { state in
            state.readers[state.epoch, default: 0] += 1
            return ReadPin(self, epoch: state.epoch)
        }
    }

    fileprivate func unpin(_ epoch: Int) {
        let free = state.withLock { state -> [Release] in
            let count = state.readers[epoch, default: 1] - 1
            state.readers[epoch] = count == 0 ? nil : count
            guard !state.released.isEmpty else { return [] }
            let oldest = state.readers.keys.min() ?? .max
            let free = state.released.filter { $0.epoch < oldest }
            state.released.removeAll { $0.epoch < oldest }
            return free
        }
        for release in free { remove(release.names) }
    }

    /// Removes files that no row names, as soon as no reader may use them.
    func release(_ names: [ExternalFileName]) {
        guard !names.isEmpty else { return }
        let lock = try? lockedFolder()
        let isFree = state.withLock { state in
            guard !state.readers.isEmpty else { return true }
            state.released.append(Release(epoch: state.epoch, names: names, lock: lock))
            state.epoch += 1
            return false
        }
        if isFree { remove(names) }
    }

    /// A file that can't be removed is left for the next opening.
    private func remove(_ names: [ExternalFileName]) {
        guard let lock = folder.lockForRemoving() else { return }
        for name in names { try? FileSystem.remove(folder.path(of: name)) }
        withExtendedLifetime(lock) {}
    }
}

/// A reader that may find the names of files in rows.
final class ReadPin: Sendable {
    private let files: ExternalFiles
    private let epoch: Int

    fileprivate init(_ files: ExternalFiles, epoch: Int) {
        self.files = files
        self.epoch = epoch
    }

    deinit { files.unpin(epoch) }
}

// MARK: Writing

extension ExternalFiles {
    /// The shared lock that protects new files. Creates the folder if necessary.
    func sharedLock() throws(FileError) -> OpenFolder {
        if state.withLock({ !$0.isFolderMade }) {
            try folder.make()
            state.withLock { $0.isFolderMade = true }
        }
        return try lockedFolder()
    }

    /// Makes the next `sharedLock()` create the folder if it is missing.
    func forgetFolder() { state.withLock { $0.isFolderMade = false } }

    private func lockedFolder() throws(FileError) -> OpenFolder {
        let lock = try OpenFolder(folder.path)
        try lock.lockShared()
        return lock
    }

    /// Creates an empty file.
    func make(_ lock: OpenFolder) throws(FileError) -> (new: NewExternalFile, file: OpenFile) {
        let new = NewExternalFile(in: folder, lock)
        return (new, try OpenFile(writing: new.path, existing: .fail))
    }
}

// MARK: Staging

extension ExternalFiles {
    /// Stores a file until its value is saved.
    func stage(_ file: StagedFile) {
        state.withLock { state in
            state.staged.removeAll { $0.file == nil }
            state.staged.append(WeakStagedFile(file: file))
        }
    }

    /// Claims the file of a staged value for one save. A value is identified by its address, which is unique while the
    /// staged value is alive.
    func claim(_ data: Data) -> NewExternalFile? {
        let staged = state.withLock { state in
            state.staged.compactMap(\.file).filter {
                $0.data.count == data.count && $0.data.span.isIdentical(to: data.span)
            }
        }
        return staged.first { $0.file.claim() }?.file
    }
}
