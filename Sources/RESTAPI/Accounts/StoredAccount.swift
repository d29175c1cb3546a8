// SPDX-License-Identifier: Apache-2.0

// Reads and changes the objects of accounts. Access rules don't restrict that.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

/// The object of an account as it is stored.
struct StoredAccount: Sendable {
    let row: Snapshot
    private let accounts: ServedAccounts

    init(_ row: Snapshot, of accounts: ServedAccounts) {
        self.row = row
        self.accounts = accounts
    }

    var objectID: ManagedObjectID { row.objectID }
    var reference: String { accounts.reference(to: row.objectID) }
    var name: String { text(of: accounts.name) ?? "" }
    /// The hash of the password; nil if it has none, so that it can't sign in.
    var passwordHash: String? { text(of: accounts.password) }

    private func text(of attribute: AttributeDescription) -> String? {
        guard case .string(let text) = row.row.attributes[attribute.slot], !text.isEmpty else { return nil }
        return text
    }

    /// What the use of a token changes, so that it is valid once.
    func state(for purpose: AccountTokens.Purpose) -> String {
        switch purpose {
        case .access: ""
        case .reset: passwordHash ?? ""
        case .verify: name
        }
    }
}

extension API {
    /// The account with a name; nil if there is none, or more than one.
    func account(named name: String, of accounts: ServedAccounts) throws -> StoredAccount? {
        try coordinator.read { reader in
            var request = FetchRequest<ManagedObject>(accounts.entity.name)
            request.predicate = .comparing(.keyPath(accounts.name.name), .equal, .constant(.string(name)))
            request.fetchLimit = 2
            let rows = try reader.snapshots(request)
            return rows.count == 1 ? StoredAccount(rows[0], of: accounts) : nil
        }
    }

    func account(_ objectID: ManagedObjectID, of accounts: ServedAccounts) throws -> StoredAccount? {
        try coordinator.read { reader in
            try reader.snapshots(of: [objectID])[0].map { StoredAccount($0, of: accounts) }
        }
    }

    /// Sets an attribute of an account, unless its object has changed in a way that forbids it.
    ///
    /// - Returns: Whether it was set.
    func set(
        _ value: Value,
        of attribute: AttributeDescription,
        of objectID: ManagedObjectID,
        in accounts: ServedAccounts,
        ifStill isCurrent: @escaping @Sendable (StoredAccount) -> Bool
    ) throws -> Bool {
        for attempt in 0..<Self.accountAttempts {
            do {
                return try coordinator.withContext { context in
                    context.transactionAuthor = accounts.reference(to: objectID)
                    if attempt > 0 { context.stalenessInterval = .zero }
                    guard let object = try context.existingObjects(with: [objectID])[0],
                        let row = object.committedSnapshot, isCurrent(StoredAccount(row, of: accounts))
                    else { return false }
                    try object.setValue(value, of: attribute)
                    try refuseReadOnlyStores(in: context)
                    try context.save()
                    return true
                }
            } catch let error as GraphError where error.code == .conflict {
                try WorkLimits.check()
            }
        }
        throw Problem.overtaken
    }

    private static let accountAttempts = 100
}
