// SPDX-License-Identifier: Apache-2.0

// Changes and resets passwords, and verifies names.

import AccessRules
import Cryptography
import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import ObjectGraph
import Predicates

extension API {
    /// Changes the password of the account that sends the request, and ends its other sessions.
    func changePassword(
        from old: String,
        to new: String,
        _ fields: HeaderFields,
        from sender: RequestSender
    ) throws -> Reply {
        let accounts = try servedAccounts
        let all = accounts.accounts
        let (objectID, session) = try ownAccount(fields)
        guard let account = try account(objectID, of: accounts) else { throw Problem.invalidCredential }
        if let seconds = all.signIns.attempt(account.name, from: sender) {
            throw Problem.tooManyRequests("Too many attempts have failed.", after: seconds)
        }
        guard try all.passwords.matches(old, account.passwordHash) else {
            throw Problem(.forbidden, "The old password is wrong.")
        }
        all.signIns.succeeded(account.name, from: sender)
        let hash = try all.passwords.hash(new)
        let isSet = try set(.string(hash), of: accounts.password, of: objectID, in: accounts) {
            $0.passwordHash == account.passwordHash
        }
        guard isSet else { throw Problem(.conflict, "The password was changed meanwhile.") }
        try all.sessions.endAll(of: objectID.uri, except: session?.id, now: all.now())
        return Reply(.none, status: .noContent)
    }

    // MARK: Resets

    /// Sends a message to the account with a name, if there is one. The reply doesn't tell.
    func requestReset(of name: String, from sender: RequestSender) throws -> Reply {
        let accounts = try servedAccounts
        let all = accounts.accounts
        guard let settings = accounts.messages else {
            throw Problem.noMessages(otherwise: "Those who administer it can set another password, or name")
        }
        let isSent = all.messages.attempt(name, from: sender) == nil
        let account = try account(named: name, of: accounts)
        if let account, isSent {
            try send(.reset, to: account, of: accounts)
        } else {
            // As long as if there were an account.
            let lifetime = settings.resetLifetime
            _ = try all.tokens.make(once: .reset, account: name, state: name, lasting: lifetime, now: all.now())
        }
        return Reply(.none, status: .accepted)
    }

    /// Sets the password of the account that a token was sent to, and ends its sessions.
    func confirmReset(_ token: String, password: String) throws -> Reply {
        let accounts = try servedAccounts
        let all = accounts.accounts
        let (account, isCurrent) = try account(of: token, for: .reset)
        let hash = try all.passwords.hash(password)
        let isSet = try set(
            .string(hash),
            of: accounts.password,
            of: account.objectID,
            in: accounts,
            ifStill: isCurrent
        )
        guard isSet else { throw Problem.invalidToken }
        try all.sessions.endAll(of: account.objectID.uri, now: all.now())
        return Reply(.none, status: .noContent)
    }

    // MARK: Verification

    /// Sends another message to the account that sends the request.
    func requestVerification(_ fields: HeaderFields, from sender: RequestSender) throws -> Reply {
        let accounts = try servedAccounts
        guard let verified = accounts.verified else { throw Problem.noVerification }
        guard accounts.messages != nil else {
            throw Problem.noMessages(otherwise: "Those who administer it can mark the account, or name")
        }
        let (objectID, _) = try ownAccount(fields)
        guard let account = try account(objectID, of: accounts) else { throw Problem.invalidCredential }
        guard account.row.row.attributes[verified.slot] != .bool(true) else {
            throw Problem(.conflict, "The account is verified already.")
        }
        // Resets, which anyone asks for by the name, don't count.
        if let seconds = accounts.accounts.messages.attempt(account.objectID.uri, from: sender) {
            throw Problem.tooManyRequests("There were too many messages.", after: seconds)
        }
        try send(.verify, to: account, of: accounts)
        return Reply(.none, status: .accepted)
    }

    /// Marks the account that a token was sent to.
    func verify(_ token: String) throws -> Reply {
        let accounts = try servedAccounts
        guard let verified = accounts.verified else { throw Problem.noVerification }
        let (account, isCurrent) = try account(of: token, for: .verify)
        let isSet = try set(.bool(true), of: verified, of: account.objectID, in: accounts) { account in
            isCurrent(account) && account.row.row.attributes[verified.slot] != .bool(true)
        }
        guard isSet else { throw Problem.invalidToken }
        return Reply(.none, status: .noContent)
    }

    // MARK: Tokens

    /// Sends a message, if accounts get any.
    func send(_ kind: AccountMessage.Kind, to account: StoredAccount, of accounts: ServedAccounts) throws {
        guard let settings = accounts.messages else { return }
        let purpose: AccountTokens.Purpose = kind == .reset ? .reset : .verify
        let (token, expires) = try accounts.accounts.tokens.make(
            once: purpose,
            account: account.objectID.uri,
            state: account.state(for: purpose),
            lasting: kind == .reset ? settings.resetLifetime : settings.verifyLifetime,
            now: accounts.accounts.now()
        )
        accounts.accounts.onMessage(
            AccountMessage(
                kind: kind,
                account: account.reference,
                name: account.name,
                token: token,
                expires: expires
            )
        )
    }

    /// The account of a token that is valid once, and whether the account is still in the state that the token is for.
    private func account(
        of token: String,
        for purpose: AccountTokens.Purpose
    ) throws -> (account: StoredAccount, isCurrent: @Sendable (StoredAccount) -> Bool) {
        let accounts = try servedAccounts
        let tokens = accounts.accounts.tokens
        guard let claims = try? tokens.claims(of: token, for: purpose, now: accounts.accounts.now()),
            let uri = claims["sub"]?.string, let code = claims["state"]?.string,
            let objectID = accounts.objectID(forURI: uri), let account = try account(objectID, of: accounts)
        else { throw Problem.invalidToken }
        let isCurrent: @Sendable (StoredAccount) -> Bool = { account in
            let present = tokens.code(of: account.state(for: purpose), account: uri, for: purpose)
            return ConstantTime.areEqual(Array(present.utf8), Array(code.utf8))
        }
        guard isCurrent(account) else { throw Problem.invalidToken }
        return (account, isCurrent)
    }
}

extension Problem {
    fileprivate static let noVerification = Problem(
        .notFound,
        "The server doesn't verify accounts.",
        hint: "The “accounts” of its access file must have “verified”."
    )

    fileprivate static func noMessages(otherwise hint: String) -> Problem {
        Problem(
            .notImplemented,
            "The server sends no messages.",
            hint: "\(hint) a webhook that sends messages: “identity.accounts.messages” in the access file."
        )
    }

    static var invalidToken: Problem {
        .unauthenticated("The token isn't valid, was used before, or has expired.", hint: "Ask for another message.")
    }
}
