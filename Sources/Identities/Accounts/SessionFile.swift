// SPDX-License-Identifier: Apache-2.0

/// The file of a store's sessions, which several servers may use at the same time. Its lines are entries in JSON.
package struct SessionFile: Hashable, Sendable {
    package let path: String
    /// The longest wait for other programs.
    let patience: Duration

    package init(_ path: String, patience: Duration = .seconds(10)) {
        self.path = path
        self.patience = patience
    }

    /// The file of the sessions of a store.
    package init(besides store: String) { self.init(store + ".sessions.jsonl") }

    /// The paths of the file, of its lock, and of the file that replaces it, which may not exist.
    package var files: [String] { [path, lockPath, newPath] }

    var lockPath: String { path + ".lock" }
    var newPath: String { path + ".new" }
}
