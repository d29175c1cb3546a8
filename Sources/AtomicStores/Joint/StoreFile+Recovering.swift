// SPDX-License-Identifier: Apache-2.0

// Recovers a joint save when the file of one of its stores is opened.

import Files
import FoundationEssentials
import ObjectGraph

/// The result of examining a file that an earlier process prepared.
struct RecoveredContent {
    /// The content of a decided save, which has replaced the store's file.
    var decided: StoreContent?
    /// A save whose decision isn't known yet.
    var undecided: (save: JointSave, identifier: UUID)?
}

extension StoreFile {
    /// Commits or removes a prepared file according to its save's decision; nil if there is none. A damaged file was
    /// not prepared completely.
    func recover(_ model: ManagedObjectModel) throws(StoreFileError) -> RecoveredContent? {
        guard let left = recoveredFile() else { return nil }
        let content: StoreContent
        do {
            content = try naming { () throws(StoreFileError) in try read(left.path, model: model) }
        } catch  where error.code == .damaged || error.code == .otherType {
            left.remove()
            return nil
        }
        guard let save = content.preparedSave, try latest(model) != save.identifier else {
            left.remove()
            return nil
        }
        switch isDecided(save, model) {
        case true?:
            try commit(left)
            return RecoveredContent(decided: content)
        case false?:
            left.remove()
            return nil
        case nil: return RecoveredContent(undecided: (save, content.head.identifier))
        }
    }

    /// The last save that the file includes as a follower; files prepared for it are obsolete.
    private func latest(_ model: ManagedObjectModel) throws(StoreFileError) -> UUID? {
        guard var metadata = try read(model, mustExist: false)?.head.metadata else { return nil }
        return AtomicJointSaves(extractingFrom: &metadata).latest
    }

    /// The decision in the file of the decider, which must have the same format; nil if it can't be read. The file is
    /// searched at its path and beside this one.
    private func isDecided(_ save: JointSave, _ model: ManagedObjectModel) -> Bool? {
        guard let known = save.decider.path else { return nil }
        let folder = URL(filePath: path).deletingLastPathComponent()
        for place in [known, folder.appending(path: URL(filePath: known).lastPathComponent).path] {
            guard let content = try? read(place, model: model), content.head.identifier == save.decider.store else {
                continue
            }
            var metadata = content.head.metadata
            return AtomicJointSaves(extractingFrom: &metadata).decided[save.identifier] != nil
        }
        return nil
    }
}

extension StoreContent {
    var preparedSave: JointSave? {
        var metadata = head.metadata
        return AtomicJointSaves(extractingFrom: &metadata).prepared
    }
}
