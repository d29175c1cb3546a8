// SPDX-License-Identifier: Apache-2.0

// What follows from new names of accounts.

import ObjectGraph
import ObjectModel
import Predicates

/// The accounts among the changed objects of a context.
///
/// 1. No account gets a name that it can't have.
/// 2. An account that gets another name is unverified, unless the same change says that it is verified. That also holds if
///    others verify it meanwhile: the save is refused then.
/// 3. Its owner gets a message to verify the name, when the name is stored.
struct RenamedAccounts {
    private let accounts: ServedAccounts
    fileprivate let context: ManagedObjectContext

    /// Nil without accounts.
    init?(_ accounts: ServedAccounts?, in context: ManagedObjectContext) {
        guard let accounts else { return nil }
        self.accounts = accounts
        self.context = context
    }

    private var renamed: [ManagedObject] {
        context.updatedObjects.filter { object in
            object.entity.isKind(of: accounts.entity) && object.changedValues[accounts.name.name] != nil
        }
    }

    var renamedIDs: [ManagedObjectID] { renamed.map(\.objectID) }

    /// Refuses names that accounts can't have.
    func check() throws {
        let new = context.insertedObjects.filter { $0.entity.isKind(of: accounts.entity) }
        for object in new + renamed {
            guard case .string(let name) = object.changedValues[accounts.name.name] else { continue }
            if let problem = accounts.problem(withName: name) { throw problem }
        }
    }

    /// Makes accounts with other names unverified.
    func unverify() throws(GraphError) {
        guard let verified = accounts.verified else { return }
        for object in stillVerified(verified) { try object.setValue(.bool(false), of: verified) }
    }

    /// Refuses to write that an account with another name is verified, as it became while the change was made.
    func checkSave() throws(GraphError) {
        guard isToUnverify else { return }
        throw .refused(
            Problem(.conflict, "The account was verified while its name was changed.", hint: "Send the change again.")
        )
    }

    fileprivate var isToUnverify: Bool { accounts.verified.map { !stillVerified($0).isEmpty } ?? false }

    private func stillVerified(_ verified: AttributeDescription) -> [ManagedObject] {
        renamed.filter { object in
            object.changedValues[verified.name] == nil
                && object.committedSnapshot?.row.attributes[verified.slot] == .bool(true)
        }
    }

    /// Sends messages to accounts whose other names were saved.
    static func verify(_ objectIDs: [ManagedObjectID], of accounts: ServedAccounts?, in api: API) {
        guard let accounts, let verified = accounts.verified, accounts.messages != nil else { return }
        for objectID in objectIDs {
            // The change is saved: a message that can't be made doesn't matter to it.
            guard let account = try? api.account(objectID, of: accounts),
                account.row.row.attributes[verified.slot] != .bool(true),
                accounts.accounts.messages.attempt(account.name, by: objectID.uri) == nil
            else { continue }
            try? api.send(.verify, to: account, of: accounts)
        }
    }
}

extension RenamedAccounts? {
    /// Runs a save in which accounts with other names are unverified. If it fails, they are as before.
    func unverifying(_ save: () throws -> Void) throws {
        guard let self, self.isToUnverify else { return try save() }
        try self.context.withUndoGroup {
            try self.unverify()
            try save()
        }
    }
}

extension ServedAccounts {
    /// The problem with a name that an account can't have.
    func problem(withName name: String) -> Problem? {
        guard let mistake = AccountName.mistake(in: name) else { return nil }
        let property = ResourceProperty.name(of: self.name.name)
        var problem = Problem(.validation, "“\(property)” \(mistake).")
        problem.errors = [Problem.Detail(property: property, code: "type", message: problem.detail)]
        return problem
    }

    /// The values of a batch that changes accounts. One that changes the name makes them unverified.
    func checked(
        _ values: [String: ObjectExpression],
        of entity: EntityDescription
    ) throws -> [String: ObjectExpression] {
        guard entity.isKind(of: self.entity), let name = values[name.name] else { return values }
        if case .constant(.string(let text)) = name, let problem = problem(withName: text) { throw problem }
        guard let verified, values[verified.name] == nil else { return values }
        var values = values
        values[verified.name] = .constant(.bool(false))
        return values
    }

    /// Refuses a row of a batch with a name that an account can't have.
    func check(_ row: BatchInsertRequest.Row, of entity: EntityDescription) throws {
        guard entity.isKind(of: self.entity), case .string(let text) = row.values[name.name] else { return }
        if let problem = problem(withName: text) { throw problem }
    }
}
