// SPDX-License-Identifier: Apache-2.0

// The way of slow queries from the stores to the log.

import AtomicStores
import Dispatch
import HTTPMessage
import JSON
import ObjectGraph
import SQLiteStore
import Synchronization

/// The slow queries that one request waits for: they are kept until the answer says what the request's ID is.
final class RequestQueries: Sendable {
    @TaskLocal private static var current: RequestQueries?

    private let queries = Mutex<[SlowQuery]>([])

    /// Does a request's work on this thread, and logs what was slow in it.
    static func answering<Answer>(
        _ log: ServerLog,
        _ work: () -> Answer,
        requestID: (Answer) -> String?
    ) -> Answer {
        let request = RequestQueries()
        let response = $current.withValue(request, operation: work)
        let requestID = requestID(response)
        for var query in request.queries.withLock({ $0 }) {
            query.requestID = requestID
            log.log(query)
        }
        return response
    }

    /// Whether somebody on this thread keeps it.
    fileprivate static func keep(_ query: SlowQuery) -> Bool {
        guard let current else { return false }
        current.queries.withLock { $0.append(query) }
        return true
    }
}

extension ServerLog {
    /// Has SQLite stores tell of what takes them long, from now on.
    func watch(_ coordinator: PersistentStoreCoordinator, settings: ServeSettings) {
        guard settings.slowQuery > .zero else { return }
        let slow = SlowStatementLog(threshold: settings.slowQuery, tellsValues: settings.logValues) { [self] in log($0)
        }
        for case let store as SQLiteStore in coordinator.stores { store.slowStatementLog = slow }
    }

    /// Logs when the files of stores are deleted or replaced, from now on.
    func watchFiles(of coordinator: PersistentStoreCoordinator) {
        for case let store as AtomicStore in coordinator.stores { look(at: store) }
        for case let store as SQLiteStore in coordinator.stores {
            store.onFileNotice = { [self, path = store.path] notice in
                switch notice {
                case .lost(let error): log(.error, .store, "\(error)", ["path": .string(path)])
                case .returned:
                    log(.info, .store, "\(path): The file is back, and is saved into.", ["path": .string(path)])
                case .reopened:
                    let message = "\(path): The file was replaced, and the new one is open."
                    log(.warning, .store, message, ["path": .string(path)])
                }
            }
        }
    }

    /// Looks each second at the file of a store that is in memory as a whole, which itself looks only when it saves.
    ///
    /// - Parameters:
    ///   - seen: Why nothing can be saved, as the last look has found; nil where all is well.
    ///   - logged: The same as it was logged last. A file that is being saved is for a moment neither the former one nor the new one, so
    ///     that only what two looks have found is logged.
    private func look(at store: AtomicStore, seen: String? = nil, logged: String? = nil) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { [self, weak store] in
            guard let store else { return }
            var reason: String?
            do { try store.checkPlace() } catch { reason = "\(error)" }
            guard reason == seen, reason != logged else { return look(at: store, seen: reason, logged: logged) }
            if let reason {
                log(.error, .store, reason)
            } else {
                log(.info, .store, "The file of the store \(store.identifier) is back, and is saved into.")
            }
            look(at: store, seen: reason, logged: reason)
        }
    }

    /// Of what a writer runs nobody knows for which request: it may do the work of several.
    private func log(_ statement: SlowStatement) {
        let query = SlowQuery(statement)
        if statement.isRead, RequestQueries.keep(query) { return }
        log(query)
    }
}

extension SlowQuery {
    fileprivate init(_ statement: SlowStatement) {
        self.init(
            statement: statement.sql,
            values: statement.values,
            plan: statement.plan,
            duration: statement.duration,
            rows: statement.rows
        )
    }
}
