// SPDX-License-Identifier: Apache-2.0

// `outcrop migrate`

import Arguments
import JSON
import ObjectGraph
import ObjectModel

enum MigrateCommand {
    private static let store = Argument<StoreLocation>("STORE", "The store.", completion: StoreFiles.completion)
    private static let target = Option<String>(
        "to",
        value: "MODEL",
        "The model that the store should have: its current version, or a version in an .xcdatamodeld.",
        completion: ModelFiles.completion
    )
    private static let origin = Option<String?>(
        "from",
        value: "MODEL",
        "The model that the store has, if it carries none and no version of the other model fits.",
        completion: ModelFiles.completion
    )
    private static let mapping = Option<String?>(
        "mapping",
        value: "FILE",
        "Rules for what names don't say, in JSON or an .xcmappingmodel: where values come from, and which objects remain.",
        completion: .file(["json", "xcmappingmodel"])
    )
    private static let isRehearsal = Flag("dry-run", "Migrate, report what is done and lost, and take it back.")
    private static let backup = Option<String?>(
        "backup",
        value: "FILE",
        "The name of the copy that is kept of the store as it was. By default it is beside the store.",
        completion: StoreFiles.completion
    )
    private static let keepsNoBackup = Flag("no-backup", "Keep no copy.")
    private static let noProgress = Flag("no-progress", "Show no progress, even on a terminal.")

    static let command = Command<Action>(
        "migrate",
        "Migrate a store to another version of its model.",
        discussion: """
            What becomes of each entity and property is inferred from both versions, by names and renaming identifiers, as
            `outcrop model diff` describes. If one step isn't possible, the versions between are used as stages. Everything
            happens in one transaction: if it fails or is interrupted, the store is as before. Objects keep their IDs. No program
            may have the store open.
            """,
        examples: [
            Example("outcrop migrate App.sqlite --to App.xcdatamodeld --dry-run", "What would be done, and lost."),
            Example("outcrop migrate App.sqlite --to App.xcdatamodeld"),
            Example("outcrop migrate App.xml --to 'App.xcdatamodeld/App 3.xcdatamodel'"),
        ],
        exitCodes: [
            ExitCode(0, "The store has the model, or would have it."),
            ExitCode(1, "The migration isn't possible, or failed; the store is as before."),
            ExitCode(2, "The command line is invalid."),
            ExitCode(130, "The migration was interrupted; the store is as before."),
        ],
        parameters: [store, target, origin, mapping, isRehearsal, backup, keepsNoBackup, noProgress]
    ) { parsed, _ in
        guard !parsed[keepsNoBackup] || parsed[backup] == nil else {
            throw Failure("--backup and --no-backup contradict each other.", status: .usage)
        }
        let location = parsed[store]
        let target = try ModelFiles.readComplete(parsed[target])
        let plan = try PlannedMigration(
            of: location.path,
            kind: location.existingKind(),
            from: parsed[origin].map(ModelFiles.readComplete),
            to: target,
            among: ModelFiles.versions(around: parsed[Self.target]),
            rules: parsed[mapping].map(ModelFiles.mappingRules)
        )
        var outcome = MigrationOutcome(plan: plan, isRehearsal: parsed[isRehearsal])
        guard plan.migration != nil else { return outcome.report }
        if !parsed[isRehearsal], !parsed[keepsNoBackup] {
            let copy = parsed[backup] ?? plan.backupPath
            try ProgressBar.showing("Copying \(plan.path)") { _ in try plan.backUp(to: copy) }
            outcome.backup = copy
        }
        let start = ContinuousClock.now
        do {
            outcome.result = try run(plan, parsed[isRehearsal] ? .rehearsal : .complete, showing: !parsed[noProgress])
        } catch {
            if let copy = outcome.backup { plan.removeCopy(copy) }
            throw error
        }
        outcome.seconds = (ContinuousClock.now - start) / .seconds(1)
        return outcome.report
    }

    /// Runs a migration until it ends or is interrupted.
    private static func run(
        _ plan: PlannedMigration,
        _ mode: MigrationMode,
        showing isShown: Bool
    ) throws -> MigrationReport {
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let bar = ProgressBar("Migrating \(plan.path)", isWanted: isShown)
        defer { bar.end() }
        let limits = WorkLimits(isCancelled: { Interruption.isRequested })
        do {
            return try limits.hold {
                try plan.run(mode) { rows, expected in
                    bar.show(rows, fraction: expected > 0 ? Double(rows) / Double(expected) : nil)
                }
            }
        } catch  where Interruption.isRequested {
            throw Failure(
                "The migration was interrupted. The store is as before.",
                status: Interruption.status,
                code: "migrate.interrupted",
                file: plan.path
            )
        } catch {
            guard StoreFiles.failure(error).code == "store.locked", let failure = Failure.inUse(plan.path) else {
                throw error
            }
            throw failure
        }
    }
}

extension Failure {
    /// The failure of a migration whose store another process has open; nil if none is found.
    fileprivate static func inUse(_ path: String) -> Failure? {
        ProcessSearch.user(of: path).map { other in
            Failure(
                "The store is in use by \(other.words), so it can't be migrated.",
                hint:
                    "End that process first. A server migrates its stores itself: start it with --migrate auto, and send it "
                    + "SIGHUP after a change of the model's file.",
                code: "store.locked",
                file: path
            )
        }
    }
}
