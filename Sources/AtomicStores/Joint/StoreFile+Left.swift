// SPDX-License-Identifier: Apache-2.0

// What is found of a save into several stores when the file of one of them is opened.

import Files
import FoundationEssentials
import ObjectGraph

/// What a file turns out to be that was prepared by an earlier process.
struct LeftContent {
    /// The content that has taken the place of the file's.
    var decided: StoreContent?
    /// What is to be judged later.
    var undecided: (save: JointSave, identifier: UUID)?
}

extension StoreFile {
    /// Puts a prepared file in place if its save was decided, and removes it if that was not; nil where there is none. One that is
    /// damaged was never prepared to the end.
    func left(_ model: ManagedObjectModel) throws(StoreFileError) -> LeftContent? {
        guard let left = leftFile() else { return nil }
        let content: StoreContent
        do {
            content = try naming { () throws(StoreFileError) in try read(left.path, model) }
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
            return LeftContent(decided: content)
        case false?:
            left.remove()
            return nil
        case nil: return LeftContent(undecided: (save, content.head.identifier))
        }
    }

    /// The save that the file has followed last: what was prepared for it is in the file by now.
    private func latest(_ model: ManagedObjectModel) throws(StoreFileError) -> UUID? {
        guard var metadata = try read(model, mustExist: false)?.head.metadata else { return nil }
        return AtomicJointSaves(taking: &metadata).latest
    }

    /// What the file of the decider says, where it has the same format; nil where it can't be read. It is looked for where it was,
    /// and beside this one.
    private func isDecided(_ save: JointSave, _ model: ManagedObjectModel) -> Bool? {
        guard let known = save.decider.path else { return nil }
        let folder = URL(filePath: path).deletingLastPathComponent()
        for place in [known, folder.appending(path: URL(filePath: known).lastPathComponent).path] {
            guard let content = try? read(place, model), content.head.identifier == save.decider.store else { continue }
            var metadata = content.head.metadata
            return AtomicJointSaves(taking: &metadata).decided[save.identifier] != nil
        }
        return nil
    }
}

extension StoreContent {
    var preparedSave: JointSave? {
        var metadata = head.metadata
        return AtomicJointSaves(taking: &metadata).prepared
    }
}
