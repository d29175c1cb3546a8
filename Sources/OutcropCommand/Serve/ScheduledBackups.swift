// SPDX-License-Identifier: Apache-2.0

// Backs the served stores up from time to time.

import Dispatch
import FoundationEssentials
import JSON
import ObjectGraph
import RESTAPI
import SQLiteStore
import Synchronization

/// Makes dated backups of all stores in files, and removes old ones.
///
/// 1. The next backup is due after the newest one in the folder, so that restarts don't change the rhythm.
/// 2. A backup that fails is logged, and tried again after a while.
final class ScheduledBackups: Sendable {
    private let settings: ServeSettings
    private let log: ServerLog
    private let coordinator = Mutex<(@Sendable () -> PersistentStoreCoordinator)?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)
    /// Copying and checking take long, and block their thread.
    private let queue = DispatchQueue(label: "backups")
    private let counts = Mutex(Counts())

    /// What has been done since the start.
    private struct Counts {
        /// When the newest backup was made, of the store whose newest backup is the oldest; nil if a store has none.
        var last: Date?
        var failures = 0
    }

    private static let retryTime = Duration.seconds(300)

    init(_ settings: ServeSettings, _ log: ServerLog) {
        self.settings = settings
        self.log = log
    }

    /// None if no backups are made.
    var metrics: [APIMetric] {
        guard settings.backup != nil else { return [] }
        let counts = counts.withLock { $0 }
        return [
            .gauge(
                "outcrop_backup_last_success_timestamp_seconds",
                counts.last?.timeIntervalSince1970 ?? 0,
                "When the newest backup was made, of the store whose newest backup is the oldest; 0 if one has none."
            ),
            .counter("outcrop_backup_failures_total", Double(counts.failures), "Backups that failed."),
        ]
    }

    /// - Parameter coordinator: The coordinator at present: a change of the model replaces it.
    func start(of coordinator: @escaping @Sendable () -> PersistentStoreCoordinator) {
        guard let path = settings.backup else { return }
        self.coordinator.withLock { $0 = coordinator }
        let folder = BackupFolder(path: path)
        counts.withLock { $0.last = oldest(in: folder) }
        let task = Task { [weak self] in
            while let wait = self?.timeToNext(in: folder), (try? await Task.sleep(for: wait)) != nil, let self {
                guard await !backUp(to: folder) else { continue }
                guard (try? await Task.sleep(for: min(Self.retryTime, settings.backupEvery))) != nil else { return }
            }
        }
        self.task.withLock { $0 = task }
    }

    func end() { task.withLock { $0.take() }?.cancel() }

    private var sources: [BackupFolder.Source] {
        let stores = (coordinator.withLock { $0 }?().stores ?? []).compactMap { $0 as? SQLiteStore }
        return settings.storeChoices.compactMap { choice in
            guard case .file(let kind, let path) = choice.place else { return nil }
            return BackupFolder.Source(path: path, kind: kind) { copy in
                if let store = stores.first(where: { $0.path == path }) {
                    try store.backUp(to: copy)
                } else {
                    try kind.copy(path, to: copy)
                }
            }
        }
    }

    /// When the newest backup was made, of the store whose newest one is the oldest; nil if a store has none.
    private func oldest(in folder: BackupFolder) -> Date? {
        let backups = folder.backups
        let newest = sources.map { source in
            backups.last { $0.manifest.store == BackupFolder.name(ofFile: source.path) }?.manifest.made
        }
        return newest.contains(nil) ? nil : newest.compactMap(\.self).min()
    }

    private func timeToNext(in folder: BackupFolder) -> Duration {
        guard let last = oldest(in: folder) else { return .zero }
        let passed = Duration.seconds(max(0, Date.now.timeIntervalSince(last)))
        return max(.zero, settings.backupEvery - passed)
    }

    /// Backs all stores up, and returns whether this succeeded.
    private func backUp(to folder: BackupFolder) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                var isDone = true
                for source in sources where !backUp(source, to: folder) { isDone = false }
                let last = oldest(in: folder)
                counts.withLock { $0.last = last }
                continuation.resume(returning: isDone)
            }
        }
    }

    private func backUp(_ source: BackupFolder.Source, to folder: BackupFolder) -> Bool {
        let begin = ContinuousClock.now
        do {
            let addition = try folder.add(source, keeping: settings.backupKeep)
            var fields: JSONObject = ["store": .string(source.path), "path": .string(addition.backup.folder)]
            fields["ms"] = .integer((ContinuousClock.now - begin).milliseconds)
            fields["objects"] = addition.check.objects.map { .integer($0) }
            fields["removed"] = .integer(addition.removed.count)
            log.log(.info, .backup, "Backed \(source.path) up to \(addition.backup.folder).", fields)
            return true
        } catch {
            let failure = StoreFiles.failure(error)
            counts.withLock { $0.failures += 1 }
            log.log(
                .error,
                .backup,
                "\(source.path) couldn't be backed up: \(failure.message)",
                ["store": .string(source.path), "reason": .string(failure.message)]
            )
            return false
        }
    }
}
