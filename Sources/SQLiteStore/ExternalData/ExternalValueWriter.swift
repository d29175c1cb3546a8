// SPDX-License-Identifier: Apache-2.0

// Writes a large value into a file, before any save.

import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import Synchronization

/// Collects bytes in memory and switches to a file when they are too many for a row.
final class ExternalValueWriter: ValueWriter {
    private enum State {
        case collecting([UInt8])
        case writing(NewExternalFile, OpenFile, lock: OpenFolder)
        /// Finished or failed.
        case ended
    }

    private let files: ExternalFiles
    /// The store's path, for errors.
    private let path: String
    private let state = Mutex(State.collecting([]))

    init(_ files: ExternalFiles, path: String) {
        self.files = files
        self.path = path
    }

    func append(_ bytes: Span<UInt8>) throws {
        let state = takeState()
        do throws(FileError) {
            let next = try append(bytes, to: state)
            self.state.withLock { $0 = next }
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    func finish() throws -> StagedValue {
        switch takeState() {
        case .collecting(let bytes): return StagedValue(.data(Data(bytes)))
        case .writing(let new, let file, let lock):
            do throws(FileError) {
                try file.sync()
                try lock.sync()
            } catch {
                throw StoreError.wrapping(error, path)
            }
            guard let data = files.data(at: new.path) else { throw StoreError.missingFile(new.path) }
            let staged = StagedFile(new, data)
            files.stage(staged)
            return StagedValue(.data(data), keeping: staged)
        case .ended: preconditionFailure("A value that was finished, or failed, can't be gone on with.")
        }
    }

    /// Takes the state out for one operation; the writer has ended unless a state is put back.
    private func takeState() -> State {
        state.withLock { state in
            defer { state = .ended }
            return state
        }
    }

    private func append(_ bytes: Span<UInt8>, to state: State) throws(FileError) -> State {
        switch state {
        case .collecting(var collected):
            if collected.count + bytes.count <= files.threshold {
                for index in bytes.indices { collected.append(bytes[index]) }
                return .collecting(collected)
            }
            let lock = try files.sharedLock()
            let (new, file) = try files.make(lock)
            try file.append(collected.span)
            try file.append(bytes)
            return .writing(new, file, lock: lock)
        case .writing(_, let file, _):
            try file.append(bytes)
            return state
        case .ended: preconditionFailure("A value that was finished, or failed, can't be gone on with.")
        }
    }
}
