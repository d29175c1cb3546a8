// SPDX-License-Identifier: Apache-2.0

// The backups that a restore can use.

import Arguments
import Files
import FoundationEssentials
import SourceText

/// The backups at a path: a dated backup, a folder of these, or a copy of a store.
struct BackupChoice {
    /// A state of a store that can be restored.
    struct State {
        /// The path of the store's copy.
        let path: String
        let kind: StoreKind
        /// Nil for a copy without a manifest.
        let dated: DatedBackup?

        /// As messages name it.
        var name: String { dated?.folder ?? path }
    }

    /// From the oldest to the newest.
    private let states: [State]
    private let path: String

    /// - Parameter store: The name of the store's file, which decides in a folder with backups of several stores.
    init(_ path: String, of store: String) throws {
        self.path = path
        guard FileSystem.isFolder(path) else {
            let location = try Self.location(path)
            states = [State(path: location.path, kind: try location.existingKind(), dated: nil)]
            return
        }
        let single = DatedBackup(in: path)
        let all = single.map { [$0] } ?? BackupFolder(path: path).backups
        let named = all.filter { $0.manifest.store == store }
        let chosen = named.isEmpty ? all : named
        guard let last = chosen.last else {
            throw Failure(
                "There is no backup in this folder.",
                hint: "Name a folder that outcrop store backup has written to, or a copy of a store.",
                code: "store.notFound",
                file: path
            )
        }
        let others = Set(chosen.map(\.manifest.store))
        guard others.count == 1 else {
            throw Failure(
                "The folder has backups of several stores: \(Wording.list(others.sorted())).",
                hint: "Name one of the backups in it.",
                code: "store.ambiguous",
                file: path
            )
        }
        states = chosen.filter { $0.manifest.identifier == last.manifest.identifier }
            .map { State(path: $0.path, kind: $0.manifest.kind, dated: $0) }
    }

    private static func location(_ text: String) throws -> StoreLocation {
        do throws(InvalidArgument) {
            return try StoreLocation(argument: text)
        } catch {
            throw Failure("\(error)", status: .usage)
        }
    }

    var newest: State? { states.last }

    /// The newest state from before a time.
    func last(before date: Date) throws -> State {
        if let state = states.last(where: { $0.dated.map { $0.manifest.made <= date } ?? true }) { return state }
        let oldest = states.first?.dated.flatMap { DateText.text($0.manifest.made) } ?? "later"
        throw Failure(
            "There is no backup from before that time: the oldest is from \(oldest).",
            code: "store.noHistory",
            file: path
        )
    }

    /// The oldest state that has everything from before a time.
    func first(after date: Date) -> State? { states.first { $0.dated.map { $0.manifest.begun >= date } ?? false } }
}
