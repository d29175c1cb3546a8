// SPDX-License-Identifier: Apache-2.0

// Passes slow queries from the stores to the log.

import AtomicStores
import Dispatch
import HTTPMessage
import JSON
import ObjectGraph
import SQLiteStore
import Synchronization

/// The slow queries of one request, collected until the response has the request's ID.
final class RequestQueries: Sendable {
    @TaskLocal private static var current: RequestQueries?

    private let queries = Mutex<[SlowQuery]>([])

    /// Runs the work of a request on this thread, and logs its slow queries.
    static func answering<Answer>(
        _ log: ServerLog,
        work: () -> Answer,
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

    /// Adds a query to the current request; false if this thread has none.
    fileprivate static func keep(_ query: SlowQuery) -> Bool {
        guard let current else { return false }
        current.queries.withLock { $0.append(query) }
        return true
    }
}

extension ServerLog {
    /// Makes SQLite stores report slow statements.
    func watch(_ coordinator: PersistentStoreCoordinator, settings: ServeSettings) {
        watchFiles(of: coordinator)
        guard settings.slowQuery > .zero else { return }
        let slow = SlowStatementLog(threshold: settings.slowQuery, includesValues: settings.logValues) { [self] in
            log($0)
        }
        for case let store as SQLiteStore in coordinator.stores { store.slowStatementLog = slow }
    }

    /// Logs when the files of stores are deleted or replaced.
    private func watchFiles(of coordinator: PersistentStoreCoordinator) {
        for case let store as AtomicStore in coordinator.stores { checkFile(of: store) }
        for case let store as SQLiteStore in coordinator.stores {
            store.onFileNotice = { [self, path = store.path] notice in
                switch notice {
                case .lost(let error): log(.error, .store, "\(error)", ["path": .string(path)])
                case .returned:
                    log(.info, .store, "\(path): The file is back, and saves succeed again.", ["path": .string(path)])
                case .reopened:
                    let message = "\(path): The file was replaced, and the new one is used."
                    log(.warning, .store, message, ["path": .string(path)])
                }
            }
        }
    }

    /// Checks the file of an atomic store each second, since the store itself checks it only before a save.
    ///
    /// - Parameters:
    ///   - seen: The error that the last check found, or nil.
    ///   - logged: The error that was logged last, or nil. During a save the file is briefly neither the old nor the
    ///     new one, so only an error that two checks find is logged.
    private func checkFile(of store: AtomicStore, seen: String? = nil, logged: String? = nil) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { [self, weak store] in
            guard let store else { return }
            var reason: String?
            do { try store.checkPlace() } catch { reason = "\(error)" }
            guard reason == seen, reason != logged else { return checkFile(of: store, seen: reason, logged: logged) }
            if let reason {
                log(.error, .store, reason)
            } else {
                log(.info, .store, "The file of the store \(store.identifier) is back, and saves succeed again.")
            }
            checkFile(of: store, seen: reason, logged: reason)
        }
    }

    /// A statement of the writer isn't attributed to a request, since a group commit may run several.
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
