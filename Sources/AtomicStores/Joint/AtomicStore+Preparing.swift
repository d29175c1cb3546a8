// SPDX-License-Identifier: Apache-2.0

// The role of an atomic store in saves into several stores: see the invariants of `JointSave`.

public import FoundationEssentials
public import ObjectGraph
import Synchronization

/// A prepared save is the state after it. For a store with a file, that state is written to a second file beside it,
/// which is the record; to commit is to rename it to the store's file.
extension AtomicStore: PreparingStore {
    public var jointPlace: JointSave.Place? { file.map { JointSave.Place(store: identifier, path: $0.path) } }

    /// Writes the file of a new store, which would otherwise get another identifier when it is opened again.
    public func keepIdentifier() throws {
        guard let file, file.isNew else { return }
        try writing {
            try finishCommit(of: file)
            if file.isNew { try file.write(content(of: memory.withLock { $0 }), model: model) }
        }
    }

    public func prepare(
        _ request: StoreSaveRequest,
        as role: JointSave.Role,
        commit: Commit<[Snapshot]>,
        deciding decide: ([Snapshot]) throws -> Void
    ) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
        return try writing {
            if let file { try finishCommit(of: file) }
            var next = memory.withLock { $0 }
            let result = try next.save(request, commit, in: identifier, derivations)
            guard case .saved(let written) = result else { return result }
            if let file {
                try put(&next, into: file, as: role) { try decide(written) }
            } else {
                try decide(written)
            }
            adopt(next)
            commit.notify(of: written, as: historyEnd(at: nil).transaction)
            return result
        }
    }

    private func put(
        _ next: inout MemoryState,
        into file: StoreFile,
        as role: JointSave.Role,
        _ decide: () throws -> Void
    ) throws {
        var followed: JointSave?
        switch role {
        case .follower(let save):
            followed = save
            next.joint.latest = save.identifier
        case .decider(let save): next.joint.decided[save.identifier] = save.followers
        case .alone: break
        }
        try WorkLimits.check()
        let content = content(of: next, preparing: followed)
        let prepared = try file.prepare(content, model, isKept: followed != nil)
        do {
            try decide()
        } catch {
            prepared.remove()
            throw error
        }
        do {
            try file.commit(prepared)
        } catch {
            guard let followed else {
                prepared.remove()
                throw error
            }
            // The save is decided, and recorded in the prepared file: the store continues with its state, and renames
            // the file before the next write.
            next.joint.uncommitted = followed.identifier
        }
    }

    /// Commits a decided save that is still uncommitted, before any other write. Throws while a save is undecided.
    func finishCommit(of file: StoreFile) throws {
        try checkDecided(file)
        let present = memory.withLock { $0 }
        guard present.joint.uncommitted != nil else { return }
        try file.write(content(of: present), model: model)
        memory.withLock { $0.joint.uncommitted = nil }
        file.recoveredFile()?.remove()
    }

    func checkDecided(_ file: StoreFile) throws {
        guard let save = memory.withLock({ $0.joint.undecided }) else { return }
        var error = StoreFileError.undecided(save)
        error.path = file.path
        throw error
    }

    public func preparedSaves() -> [JointSave] { memory.withLock { $0.joint.undecided.map { [$0] } ?? [] } }

    public func finish(_ save: JointSave, isDecided: () throws -> Bool) throws {
        try writing {
            guard let file, memory.withLock({ $0.joint.undecided }) == save, let left = file.recoveredFile() else {
                return
            }
            if try isDecided() {
                let content = try file.naming { () throws(StoreFileError) in try file.read(left.path, model: model) }
                var next = try file.naming { () throws(StoreFileError) in try MemoryState(content, in: model) }
                try file.commit(left)
                memory.withLock { memory in
                    // No number may be given twice.
                    next.lastReference = max(next.lastReference, memory.lastReference)
                    next.numberUsage = memory.numberUsage
                    memory = next
                }
            } else {
                left.remove()
                memory.withLock { $0.joint.undecided = nil }
            }
        }
    }

    public func decidedSaves() -> [JointSave] {
        guard let place = jointPlace else { return [] }
        return memory.withLock { $0.joint.decided }.map { identifier, followers in
            JointSave(identifier: identifier, decider: place, followers: followers)
        }
    }

    public func forgetDecision(_ identifier: UUID) { memory.withLock { $0.joint.decided[identifier] = nil } }
}
