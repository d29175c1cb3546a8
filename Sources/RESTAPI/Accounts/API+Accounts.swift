// SPDX-License-Identifier: Apache-2.0

// Signing up, in and out.

import AccessRules
import Cryptography
import HTTPMessage
import Identities
import JSON
import ObjectGraph
import Predicates
import SourceText

extension API {
    /// The accounts, or the problem that there are none.
    var servedAccounts: ServedAccounts {
        get throws(Problem) {
            guard let accounts else { throw .noAccounts }
            return accounts
        }
    }

    // MARK: Signing in

    func signIn(name: String, password: String, from sender: RequestSender) throws -> Reply {
        let accounts = try servedAccounts
        let all = accounts.accounts
        if let seconds = all.signIns.attempt(name, from: sender) {
            throw Problem.tooManyRequests("Too many sign-ins have failed.", after: seconds)
        }
        let account = try account(named: name, of: accounts)
        guard try all.passwords.matches(password, account?.passwordHash), let account else {
            throw Problem.wrongPassword(resets: accounts.messages != nil)
        }
        let hash = renewedHash(of: account, password, in: accounts)
        let (session, refreshToken) = try all.sessions.begin(for: account.objectID.uri, now: all.now())
        // A change or a reset ends the sessions that there are, of which this one may not have been.
        guard try isPassword(password, of: account.objectID, knownBy: hash, in: accounts) else {
            try all.sessions.end(session.id, now: all.now())
            throw Problem.wrongPassword(resets: accounts.messages != nil)
        }
        all.signIns.succeeded(name, from: sender)
        return try reply(to: account.objectID, session, refreshToken)
    }

    /// The hash of an account's password, made again if it has other costs than the present ones. A sign-in doesn't need that,
    /// so that failures, such as of a read-only store, don't matter.
    private func renewedHash(of account: StoredAccount, _ password: String, in accounts: ServedAccounts) -> String? {
        let passwords = accounts.accounts.passwords
        let former = account.passwordHash
        guard !passwords.isCurrent(former), let hash = try? passwords.hash(password) else { return former }
        let isSet = try? set(.string(hash), of: accounts.password, of: account.objectID, in: accounts) {
            $0.passwordHash == former
        }
        return isSet == true ? hash : former
    }

    /// Whether a password is that of an account as it is stored now.
    ///
    /// - Parameter known: A hash that the password is known to match.
    private func isPassword(
        _ password: String,
        of objectID: ManagedObjectID,
        knownBy known: String?,
        in accounts: ServedAccounts
    ) throws -> Bool {
        coordinator.noticeOtherWriters()
        let hash = try account(objectID, of: accounts)?.passwordHash
        return try hash == known || accounts.accounts.passwords.matches(password, hash)
    }

    /// Begins the first session of an account that was just made.
    func beginFirstSession(of objectID: ManagedObjectID) throws -> Reply {
        let accounts = try servedAccounts
        let (session, refreshToken) = try accounts.accounts.sessions.begin(
            for: objectID.uri,
            now: accounts.accounts.now()
        )
        var reply = try reply(to: objectID, session, refreshToken)
        reply.status = .created
        reply.fields[.location] = "\(catalogue.path)\(accounts.reference(to: objectID))"
        return reply
    }

    func refresh(_ token: String) throws -> Reply {
        let accounts = try servedAccounts
        let sessions = accounts.accounts.sessions
        let now = accounts.accounts.now()
        guard let (session, refreshToken) = try sessions.refresh(token, now: now),
            let objectID = accounts.objectID(forURI: session.account)
        else {
            throw Problem.unauthenticated(
                "The refresh token isn't valid, was used before, or has expired.",
                hint: "Sign in again."
            )
        }
        do {
            return try reply(to: objectID, session, refreshToken)
        } catch let problem as Problem where problem.code == .unauthenticated {
            // The account was deleted.
            try sessions.end(session.id, now: now)
            throw problem
        }
    }

    private func reply(to objectID: ManagedObjectID, _ session: AccountSession, _ refreshToken: String) throws -> Reply
    {
        let accounts = try servedAccounts
        let claims: JSONObject = ["sub": .string(accounts.reference(to: objectID)), "sid": .string(session.id)]
        let (token, expires) = try accounts.accounts.tokens.make(claims, for: .access, now: accounts.accounts.now())
        let user = try accounts.api(of: objectID).shownAccount(objectID)
        var reply = Reply(
            .json([
                "token": .string(token), "refreshToken": .string(refreshToken),
                "expires": expires.iso8601.map(JSONValue.string) ?? .null, "user": user,
            ])
        )
        reply.fields[.cacheControl] = "no-store"
        return reply
    }

    /// The object of an account as this API shows it; only its reference if the account can't read it.
    func shownAccount(_ objectID: ManagedObjectID) throws -> JSONValue {
        guard let row = try read({ try $0.snapshots(of: [objectID])[0] }), catalogue.shows(objectID) else {
            return ["_id": .string(catalogue.reference(to: objectID))]
        }
        return json(of: ObjectDTO(row: row, shape: catalogue.shape(of: row.objectID.entity)))
    }

    // MARK: Signing out

    /// Ends the session of the request's token, or all of its account.
    func signOut(everywhere: Bool, _ fields: HeaderFields) throws -> Reply {
        let accounts = try servedAccounts
        let (account, session) = try ownAccount(fields)
        let now = accounts.accounts.now()
        if everywhere {
            try accounts.accounts.sessions.endAll(of: account.uri, now: now)
        } else if let session {
            try accounts.accounts.sessions.end(session.id, now: now)
        }
        return Reply(.none, status: .noContent)
    }

    /// The account that sends a request, and the session of its token. The session is nil if an administrator acts as it.
    func ownAccount(_ fields: HeaderFields) throws(Problem) -> (account: ManagedObjectID, session: AccountSession?) {
        let accounts = try servedAccounts
        guard let identity, !identity.isAnonymous else { throw .unauthenticated("A credential is needed.") }
        guard let uri = identity.account, let objectID = accounts.objectID(forURI: uri) else {
            throw Problem(
                .forbidden,
                "This is for accounts that have signed in.",
                hint: "Use the token of POST /api/auth/sign-in."
            )
        }
        let session = try? accounts.accounts.session(of: fields)?.session
        return (objectID, session?.account == uri ? session : nil)
    }
}

extension Problem {
    static let noAccounts = Problem(
        .notFound,
        "The server has no accounts.",
        hint: "Its access file must have “accounts” in “identity”."
    )

    /// - Parameter sendsMessages: Whether the owner of an account can ask for another password.
    fileprivate static func wrongPassword(resets sendsMessages: Bool) -> Problem {
        .unauthenticated(
            "The name or the password is wrong.",
            hint: sendsMessages
                ? "POST /api/auth/reset sends a message with which another password can be set."
                : "Those who administer the server can set another password."
        )
    }
}
