// SPDX-License-Identifier: Apache-2.0

// What a server does with a store of another version of its model, before it opens it.

import Files
import FoundationEssentials
import ObjectGraph
import ObjectModel
import SQLiteStore

/// Makes the served stores fit the model, as configured.
///
/// 1. No store is changed if another can't be made to fit.
/// 2. No store is deleted.
struct StoreMigrating {
    let settings: ServeSettings
    let model: ManagedObjectModel

    /// Makes all stores fit, and returns what was done.
    func prepare(_ choices: [StoreChoice]) throws -> [String] {
        if choices.count > 1 {
            for choice in choices {
                _ = try check(choice)
                // Throws if another program has the store open, so that it couldn't be moved.
                if mode == .recreate, let (kind, store) = try misfit(choice), kind == .sqlite {
                    _ = try SQLiteStore.checkpointIntoOneFile(store)
                }
            }
        }
        return try choices.compactMap(prepare)
    }

    /// Migrates or replaces a store that has another version, and returns what was done; nil if the store fits.
    private func prepare(_ choice: StoreChoice) throws -> String? {
        guard let path = settings.model, let (kind, store) = try misfit(choice) else { return nil }
        switch mode {
        case .no: throw try refusal(store, kind, path)
        case .auto:
            let plan = try plan(store, kind, path)
            let violations = try plan.run(.lossless).stages.flatMap(\.violations).map { " " + $0.sentence }
            return "Migrated \(store) from “\(plan.stored.name)” to “\(plan.target.name)”.\(violations.joined())"
        case .recreate:
            let aside = try moveAside(store, kind)
            return "\(store) has another version of the model. It is \(aside) now, and a new store begins empty."
        }
    }

    /// Throws if the store can't be made to fit. Changes nothing.
    ///
    /// - Returns: What would be done; nil if the store fits.
    func check(_ choice: StoreChoice) throws -> String? {
        guard let path = settings.model, let (kind, store) = try misfit(choice) else { return nil }
        switch mode {
        case .no: throw try refusal(store, kind, path)
        case .auto:
            let plan = try plan(store, kind, path)
            if let reason = try plan.run(.rehearsal).reason(against: .lossless) {
                throw Failure(reason.message, hint: reason.hint, code: "store.otherModel", file: store)
            }
            return "\(store) would be migrated from “\(plan.stored.name)” to “\(plan.target.name)”."
        case .recreate:
            return
                "\(store) has another version of the model. It would get another name, and a new store would begin empty."
        }
    }

    /// A server that never writes to its stores doesn't migrate them.
    private var mode: ServeSettings.Migrate { settings.readOnly ? .no : settings.migrate }

    /// The store if it has another version.
    private func misfit(_ choice: StoreChoice) throws -> (kind: StoreKind, path: String)? {
        guard case .file(let kind, let path) = choice.place, FileSystem.exists(path) else { return nil }
        if kind == .sqlite, try SQLiteStore.isUncreated(path: path) { return nil }
        return try kind.fits(path, model, options: settings.sqlite(choice)) ? nil : (kind, path)
    }

    private func plan(_ store: String, _ kind: StoreKind, _ path: String) throws -> PlannedMigration {
        try PlannedMigration(
            of: store,
            kind: kind,
            to: ModelFiles.readComplete(path),
            among: ModelFiles.versions(around: path)
        )
    }

    /// Says which version the store has, and what can be done.
    private func refusal(_ store: String, _ kind: StoreKind, _ path: String) throws -> Failure {
        if kind == .sqlite, let carried = try? SQLiteStore.embeddedModel(path: store), carried.isUnrelated(to: model) {
            return .unrelated(store, carried, path)
        }
        let versions = try ModelFiles.versions(around: path)
        let fitting = try StoredVersion.fitting(store, kind: kind, among: versions).map(\.version)
        let reason: String
        if kind == .sqlite {
            reason = try SQLiteStore.mismatch(path: store, model: model)?.message ?? ""
        } else {
            reason = "The store has another version of the model."
        }
        let known = fitting.isEmpty ? "" : " It has \(fitting.quotedNames)."
        let other =
            settings.readOnly
            ? "A read-only server doesn't migrate its stores."
            : "Or let the server do it where nothing is lost: --migrate auto"
        return Failure(
            reason + known,
            hint: "See what a migration does: outcrop migrate \(store) --to \(path) --dry-run. \(other)",
            code: "store.otherModel",
            file: store
        )
    }

    /// Gives a store and its files another name, and returns that.
    ///
    /// The folder of large values goes first: a new store must never find one. If the program ends before the store has
    /// followed, the next start completes it.
    private func moveAside(_ store: String, _ kind: StoreKind) throws -> String {
        let file = URL(filePath: store)
        let folder = file.deletingLastPathComponent().path
        let start = file.deletingPathExtension().lastPathComponent + "-old-"
        let suffix = file.pathExtension.isEmpty ? "" : "." + file.pathExtension
        func path(_ time: String) -> String { "\(folder)/\(start)\(time)\(suffix)" }
        func values(of store: String) -> String { "\(folder)/\(SQLiteStore.supportName(ofStoreAt: store))" }
        guard kind == .sqlite else {
            let aside = path(TimeStamp.now)
            try FileManager.default.moveItem(atPath: store, toPath: aside)
            return aside
        }
        _ = try SQLiteStore.checkpointIntoOneFile(store)
        let hasValues = FileSystem.exists(values(of: store))
        let begun = try FileManager.default.contentsOfDirectory(atPath: folder).lazy
            .compactMap { $0.wholeMatch(of: /\.(.*)-old-([0-9T]+)_SUPPORT/).map { (String($0.1), String($0.2)) } }
            .first { !hasValues && $0.0 + "-old-" == start && !FileSystem.exists(path($0.1)) }
        let aside = path(begun?.1 ?? TimeStamp.now)
        if hasValues { try FileManager.default.moveItem(atPath: values(of: store), toPath: values(of: aside)) }
        try FileManager.default.moveItem(atPath: store, toPath: aside)
        return aside
    }
}

extension Model {
    /// Whether another model continues none of the entities.
    fileprivate func isUnrelated(to other: ManagedObjectModel) -> Bool {
        let names = other.model.entities.flatMap { [$0.name, $0.renamingIdentifier].compactMap(\.self) }
        return Set(entities.map(\.name)).isDisjoint(with: names)
    }
}

extension Failure {
    fileprivate static func unrelated(_ store: String, _ carried: Model, _ path: String) -> Failure {
        let names = carried.entities.map(\.name)
        let shown = names.count > 5 ? names.prefix(4) + ["\(names.count - 4) others"] : names[...]
        return Failure(
            "The store has none of the entities of \(path). It has \(Wording.list(Array(shown))).",
            hint: "Is that the right model? Without --model the store is served with the model that it carries.",
            code: "store.otherModel",
            file: store
        )
    }
}

/// A time for names of files.
enum TimeStamp {
    /// `20261126T134500`, in UTC.
    static var now: String {
        let parts = Date.now.ISO8601Format().filter { $0.isNumber || $0 == "T" }
        return String(parts)
    }
}
