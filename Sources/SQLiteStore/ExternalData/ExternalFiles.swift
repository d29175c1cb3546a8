// SPDX-License-Identifier: Apache-2.0

// The files of a store's large values: which there are, who may read them, and when they go.

import Files
import FoundationEssentials
import Predicates
import Synchronization

/// The large values of one open store.
//
// Invariants:
// 1. A committed row never names a file that isn't there: a file is written and synced, and its folder, before the transaction
//    is committed that has a row name it.
// 2. A file is named by one row's column at most, and never written again.
// 3. A file that no row has come to name is removed: when its save has failed, met conflicts, or was never tried. Where a commit
//    failed so that it may have reached the disk all the same, the file stays, and becomes one of 6.
// 4. A file that a commit has let go of is removed after it, once all those have ended who began to read before: `ReadPin`.
//    What they have opened or mapped by then stays readable. Nothing that rows have named is removed while somebody copies the
//    store, in whatever program: `ExternalFolder.lockForCopying`. What would have been becomes one of 6.
// 5. A file that is 3 or 4 yet is behind a lock on the folder that programs share. Nobody removes files of others without the lock
//    alone.
// 6. What a crash leaves is removed after the next opening for writing: files with the name of a UUID, older than the opening, that
//    no column of the whole database names, of known entities or not.
final class ExternalFiles: Sendable {
    let folder: ExternalFolder
    /// The largest value that stands in its row.
    let threshold: Int
    let openedAt = Date()
    private let state = Mutex(State())

    private struct State {
        var isFolderMade = false
        /// Grows with each release.
        var epoch = 0
        /// How many read who began in an epoch.
        var readers: [Int: Int] = [:]
        var released: [Release] = []
        var staged: [WeakStagedFile] = []
    }

    private struct Release {
        /// The last one whose readers may still read the files.
        let epoch: Int
        let names: [ExternalFileName]
        let lock: OpenFolder?
    }

    private struct WeakStagedFile: Sendable {
        weak let file: StagedFile?
    }

    init(_ folder: ExternalFolder, threshold: Int) { (self.folder, self.threshold) = (folder, threshold) }
}

// MARK: Reading

extension ExternalFiles {
    /// The value that a column's bytes stand for. That of a file that is gone is nil, as is what nobody understands.
    func value(_ stored: [UInt8]) -> Value {
        switch ExternalValue(stored: stored) {
        case .inline(let bytes): .data(Data(bytes))
        case .file(let name): data(at: folder.path(of: name)).map(Value.data) ?? .null
        case nil: .null
        }
    }

    /// The content of a file, which is in memory only as far as it is looked at.
    func data(at path: String) -> Data? {
        let place = URL(filePath: path)
        // The system maps neither files of no bytes nor any number of files.
        return (try? Data(contentsOf: place, options: .alwaysMapped)) ?? (try? Data(contentsOf: place))
    }

    /// Keeps the files that can be read now from being removed, for as long as it is held.
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

    /// Removes files that no row names any more, as soon as nobody reads who may come upon them.
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

    /// One that can't be removed is left behind for the next opening.
    private func remove(_ names: [ExternalFileName]) {
        guard let lock = folder.lockForRemoving() else { return }
        for name in names { try? FileSystem.remove(folder.path(of: name)) }
        withExtendedLifetime(lock) {}
    }
}

/// One who reads, and may come upon the names of files.
final class ReadPin: Sendable {
    private let files: ExternalFiles
    private let epoch: Int

    fileprivate init(_ files: ExternalFiles, epoch: Int) {
        (self.files, self.epoch) = (files, epoch)
    }

    deinit { files.unpin(epoch) }
}

// MARK: Writing

extension ExternalFiles {
    /// The lock behind which new files are made; the folder is made where there is none.
    func sharedLock() throws(FileError) -> OpenFolder {
        if state.withLock({ !$0.isFolderMade }) {
            try folder.make()
            state.withLock { $0.isFolderMade = true }
        }
        return try lockedFolder()
    }

    /// Has the folder made again where it isn't there any more.
    func forgetFolder() { state.withLock { $0.isFolderMade = false } }

    private func lockedFolder() throws(FileError) -> OpenFolder {
        let lock = try OpenFolder(folder.path)
        try lock.lockTogether()
        return lock
    }

    /// A new file, to be filled.
    func make(_ lock: OpenFolder) throws(FileError) -> (new: NewExternalFile, file: OpenFile) {
        let new = NewExternalFile(in: folder, lock)
        return (new, try OpenFile(writing: new.path, existing: .isAnError))
    }
}

// MARK: Staging

extension ExternalFiles {
    /// Keeps a file for the save of its value.
    func stage(_ file: StagedFile) {
        state.withLock { state in
            state.staged.removeAll { $0.file == nil }
            state.staged.append(WeakStagedFile(file: file))
        }
    }

    /// The file of a staged value, for one save. A value is known by where it is in memory, which is its own as long as the
    /// staged one is held.
    func claim(_ data: Data) -> NewExternalFile? {
        let staged = state.withLock { state in
            state.staged.compactMap(\.file).filter {
                $0.data.count == data.count && $0.data.span.isIdentical(to: data.span)
            }
        }
        return staged.first { $0.file.claim() }?.file
    }
}
