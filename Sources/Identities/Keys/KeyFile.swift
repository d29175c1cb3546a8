// SPDX-License-Identifier: Apache-2.0

import Files
package import FoundationEssentials
import SourceText

/// The file of a store's API keys, which several programs may change at the same time.
///
///     let file = KeyFile(besides: "Library.sqlite")
///     let (key, secret) = try file.add(NewAPIKey(roles: ["editor"]), now: .now)
//
// 1. Each change reads, changes and replaces the file while it holds the lock, so no change of others is lost.
// 2. The file is replaced by a rename of a complete and synced file, so that readers need no lock.
// 3. The file contains hashes, never secrets, and is readable by its owner alone.
package struct KeyFile: Hashable, Sendable {
    package let path: String
    /// The store of the keys, or nil.
    private(set) var store: String?
    /// The longest wait for other programs.
    let patience: Duration

    private static let maximumCount = 10_000
    static let maximumSize = 16 << 20

    package init(_ path: String, patience: Duration = .seconds(10)) {
        self.path = path
        self.patience = patience
    }

    /// The file of the keys of a store.
    package init(besides store: String) {
        self.init(store + ".keys.json")
        self.store = store
    }

    /// The paths of the file, of its lock, and of the file that replaces it, which may not exist.
    package var files: [String] { [path, lockPath, newPath] }

    var lockPath: String { path + ".lock" }
    var newPath: String { path + ".new" }

    /// The keys, in the order in which they were added; none without a file.
    package func list() throws(IdentityError) -> [APIKey] { try read()?.keys ?? [] }

    /// Adds a key, and returns its secret, which isn't kept.
    package func add(_ new: NewAPIKey, now: Date) throws(IdentityError) -> (key: APIKey, secret: String) {
        try new.check(now: now)
        let secret = KeySecret.make()
        let key = try change { keys throws(IdentityError) in
            if let name = new.name, keys.contains(where: { $0.name == name || $0.id == name }) {
                throw IdentityError(
                    .nameTaken,
                    "A key “\(name)” exists.",
                    hint: "Choose another name, or revoke that key first.",
                    place: path
                )
            }
            guard keys.count < Self.maximumCount else {
                throw IdentityError(
                    .invalidKey,
                    "The file has \(keys.count) keys, as many as are allowed.",
                    hint: "Revoke keys that have expired.",
                    place: path
                )
            }
            let taken = Set(keys.map(\.id) + keys.compactMap(\.name))
            var id = KeySecret.makeID()
            while taken.contains(id) { id = KeySecret.makeID() }
            let key = APIKey(
                id: id,
                name: new.name,
                roles: new.roles,
                grants: new.grants,
                created: Date(timeIntervalSinceReferenceDate: now.timeIntervalSinceReferenceDate.rounded(.down)),
                expires: new.expires,
                hash: KeySecret.hash(secret)
            )
            keys.append(key)
            return key
        }
        return (key, secret)
    }

    /// Removes the key with a name or an ID.
    @discardableResult
    package func revoke(_ nameOrID: String) throws(IdentityError) -> APIKey {
        guard FileSystem.exists(path) else { throw unknown(nameOrID, among: []) }
        return try change { keys throws(IdentityError) in
            let found = keys.indices.filter { keys[$0].name == nameOrID || keys[$0].id == nameOrID }
            guard let index = found.first else { throw unknown(nameOrID, among: keys) }
            if let other = found.dropFirst().first {
                let (named, identified) = keys[index].id == nameOrID ? (other, index) : (index, other)
                throw IdentityError(
                    .ambiguousKey,
                    "“\(nameOrID)” is the name of one key and the ID of another.",
                    hint: "Use the ID \(keys[named].id) of the first one"
                        + (keys[identified].name.map { ", or the name \($0) of the other." } ?? "."),
                    place: path
                )
            }
            return keys.remove(at: index)
        }
    }

    /// Records the last uses of keys by their IDs. Keys that no longer exist are ignored, and earlier dates, too.
    func record(_ uses: [String: Date]) throws(IdentityError) {
        guard !uses.isEmpty, FileSystem.exists(path) else { return }
        try change { keys throws(IdentityError) in
            for index in keys.indices {
                guard let use = uses[keys[index].id], use > keys[index].lastUse ?? .distantPast else { continue }
                keys[index].lastUse = use
            }
        }
    }

    private func unknown(_ nameOrID: String, among keys: [APIKey]) -> IdentityError {
        IdentityError(
            .unknownKey,
            "No key has the name or ID “\(nameOrID.printable())”.",
            hint: keys.isEmpty
                ? "There are no keys."
                : Spelling.hint(for: nameOrID, among: keys.flatMap { [$0.name, $0.id].compactMap(\.self) }),
            place: path
        )
    }
}
