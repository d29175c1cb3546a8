// SPDX-License-Identifier: Apache-2.0

// Trims the history of the served stores from time to time.

import FoundationEssentials
import ObjectGraph
import Synchronization

/// Removes transactions that are older, or more, than the settings permit. Trimming is done in short writes.
final class HistoryTrimmer: Sendable {
    private let settings: ServeSettings
    private let log: ServerLog
    private let coordinator: @Sendable () -> PersistentStoreCoordinator
    private let task = Mutex<Task<Void, Never>?>(nil)

    private static let interval = Duration.seconds(60)

    /// - Parameter coordinator: The coordinator at present: a change of the model replaces it.
    init(
        _ settings: ServeSettings,
        _ log: ServerLog,
        of coordinator: @escaping @Sendable () -> PersistentStoreCoordinator
    ) {
        self.settings = settings
        self.log = log
        self.coordinator = coordinator
    }

    func start() {
        guard !settings.readOnly else { return }
        let task = Task { [weak self] in
            while (try? await Task.sleep(for: Self.interval)) != nil, let self { trim() }
        }
        self.task.withLock { $0 = task }
    }

    func end() { task.withLock { $0.take() }?.cancel() }

    private func trim() {
        do throws(GraphError) {
            try coordinator().trimHistory { trim in
                trim.before = .now - settings.historyAge / .seconds(1)
                trim.changeLimit = settings.historyLimit
                trim.consumersBefore = .now - settings.historyConsumerAge / .seconds(1)
                trim.consumerChangeLimit = settings.historyConsumerLimit
            }
        } catch {
            log.log(.warning, .store, "The history couldn't be trimmed: \(error)")
        }
    }
}
