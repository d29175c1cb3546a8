// SPDX-License-Identifier: Apache-2.0

// The steps that restore a store.

import Files
import FoundationEssentials
import Identities
import SQLiteStore

/// Restores a backup, or the state at a time between a backup and a later state.
///
///     backup, checked ──▶ copy ─────────────────────────▶ checked ──▶ former store moved aside ──▶ moved into place
///                          later state, taken back ──────────▲
///
/// 1. Everything is made in a temporary folder beside the store's place. Until it is complete nothing else changes.
struct StoreRestoring {
    let choice: BackupChoice
    let target: String
    let until: Date?
    /// The path of a later state; nil for the oldest later backup, or the store at the target.
    let later: String?
    let replaces: Bool
    /// Whether nothing is moved into place.
    let isRehearsal: Bool
    let model: String?

    struct Outcome {
        /// The backup's name.
        let backup: String
        /// The name of the later state.
        var later: String?
        let check: BackupCheck
        var report: RewindReport?
        /// The folder of the former store.
        var replaced: String?
    }

    func run() throws -> Outcome {
        let isThere = FileSystem.exists(target)
        guard !isThere || replaces || isRehearsal else {
            throw Failure(
                "The file exists already, and is not overwritten.",
                hint: "Use another name, or move the present store aside: --force",
                code: "store.exists",
                file: target
            )
        }
        guard let backup = try until.map(choice.last) ?? choice.newest else {
            throw Failure("There is no backup.", code: "store.notFound", file: target)
        }
        if let kind = StoreKind(extensionOf: target), kind != backup.kind {
            throw Failure(
                "The backup is a store in \(backup.kind.name) form, and the name is that of one in \(kind.name) form.",
                hint: "Use another name, and outcrop store convert.",
                code: "store.exists",
                file: target
            )
        }
        let former = isThere && !isRehearsal ? try ReplacedStore(target, backup.kind, at: .now) : nil
        if !isThere, backup.kind == .sqlite { try SQLiteStore.checkPlace(ofNewStoreAt: target) }
        try backup.dated?.check()
        let new = try NewFiles(beside: target)
        let name = BackupFolder.name(ofFile: target)
        let path = new.folder + "/" + name
        var outcome = try make(path, from: backup, isThere: isThere)
        guard !isRehearsal else { return outcome }
        let names = [SQLiteStore.supportName(ofStoreAt: target), name]
        if let former {
            try former.replaced { try new.moveIntoPlace(names) }
            outcome.replaced = former.folder
        } else {
            try new.moveIntoPlace(names)
        }
        let keys = (from: KeyFile(besides: backup.path).path, to: KeyFile(besides: target).path)
        if FileSystem.exists(keys.from), !FileSystem.exists(keys.to) {
            try FileSystem.copy(keys.from, to: keys.to)
            FileSystem.setOwner(of: keys.to, asOf: target)
        }
        return outcome
    }

    /// Makes the store in a temporary folder.
    private func make(_ path: String, from backup: BackupChoice.State, isThere: Bool) throws -> Outcome {
        guard let until else {
            try backup.kind.copy(backup.path, to: path)
            let check = try BackupCheck(path, backup.kind, of: backup.path)
            guard check.objects == backup.dated?.manifest.objects ?? check.objects else {
                throw Failure(
                    "The backup has another number of objects than when it was made.",
                    hint: "Use another backup.",
                    code: "store.damaged",
                    file: backup.path
                )
            }
            return Outcome(backup: backup.name, check: check)
        }
        guard backup.kind == .sqlite else {
            throw Failure(
                "Only SQLite stores can be taken back to a time.",
                code: "store.noHistory",
                file: backup.path
            )
        }
        let dated = later == nil ? choice.first(after: until) : nil
        guard let later = later ?? dated?.path ?? (isThere ? target : nil) else {
            throw Failure(
                "There is no later state of the store, so nothing is known of the time after the backup.",
                hint: "Name one: --later STORE. Or restore the backup without --until.",
                code: "store.noHistory",
                file: target
            )
        }
        try dated?.dated?.check()
        try SQLiteStore.backUp(later, to: path)
        let report = try SQLiteStore.rewind(path, to: until, with: backup.path, model: model.map(StoreFiles.model))
        let check = try BackupCheck(path, .sqlite, of: later)
        return Outcome(backup: backup.name, later: dated?.name ?? later, check: check, report: report)
    }
}
