// SPDX-License-Identifier: Apache-2.0

// The access rules of a running server.

import AccessRules
import Cryptography
import Dispatch
import FoundationEssentials
import Identities
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import SourceText
import Synchronization

/// Reads the access file, at the start, with SIGHUP, and for another model.
final class ServedAccess: Sendable {
    /// The content of an access file, with the keys of tokens.
    struct Content: Sendable {
        let policy: AccessPolicy
        let identities: ServedIdentities.Settings
        /// Nil if accounts get no messages.
        let messages: MessageReceiver?
        /// The paths of the access file, and of the files with the keys of tokens and the secret of messages.
        let files: [String]
    }

    private let settings: ServeSettings
    private let path: String
    private let log: ServerLog
    private let identities: ServedIdentities
    private let upkeep: IdentityUpkeep
    private let refusals: RefusalLog
    /// Made for the first file with accounts. A later file without them leaves the sessions for one that has them again.
    private let knownAccounts = Mutex<Accounts?>(nil)
    private let messages: MessageDelivery
    let limits: RequestLimits
    private let queue = DispatchQueue(label: "access file")

    /// Nil without the setting. Throws if the file has mistakes.
    init?(_ settings: ServeSettings, _ log: ServerLog) throws {
        guard let path = settings.access else { return nil }
        self.settings = settings
        self.path = path
        self.log = log
        identities = ServedIdentities(
            ServedIdentities.Settings(),
            keys: try Self.keys(of: settings, log),
            onUnknownRoles: { key, known in log.warn(ofUnknownRolesOf: key, known) }
        )
        upkeep = IdentityUpkeep(identities)
        refusals = RefusalLog(log)
        messages = MessageDelivery { log.log($0) }
        limits = RequestLimits()
    }

    /// Begins with rules that were read. Throws if the files of accounts can't be used.
    func start(with content: Content) throws -> AccessGuard {
        let accounts = try accounts(for: content.policy)
        let authenticator = authenticator(with: accounts)
        identities.use(content.identities)
        messages.use(content.messages)
        limits.start(with: authenticator, accounts: accounts)
        limits.use(content.policy)
        warnOfUnknownRoles(content.policy)
        upkeep.start()
        return AccessGuard(content.policy, authenticator: authenticator, accounts: accounts) {
            [refusals] reason, request in
            refusals.record(reason, of: request)
        }
    }

    private func authenticator(with accounts: Accounts?) -> any Authenticator {
        accounts.map { AccountAuthenticator($0, otherwise: identities) } ?? identities
    }

    /// The accounts, if the rules have some now or had some before.
    private func accounts(for policy: AccessPolicy) throws -> Accounts? {
        try knownAccounts.withLock { known in
            if known == nil, policy.identity.accounts != nil { known = try newAccounts() }
            return known
        }
    }

    /// The key and the sessions of accounts, in files beside the store. Without a store in a file, they end with the server.
    private func newAccounts() throws -> Accounts {
        guard let store = settings.storeOfKeys else {
            return try Accounts(key: AccountKey(), sessions: AccountSessions(), onMessage: messages.deliver)
        }
        do {
            let key = try AccountKey(besides: store)
            let sessions = try AccountSessions(SessionFile(besides: store), now: .now) { [log] error in
                log.log(.error, .access, "\(error)")
            }
            return try Accounts(key: key, sessions: sessions, onMessage: messages.deliver)
        } catch let error as IdentityError {
            throw Failure(error)
        }
    }

    /// Reads the file for a model, and fetches the keys of tokens, so that no token is refused for want of them. Throws if the
    /// file has mistakes.
    ///
    /// - Parameter separator: What is between two mistakes.
    func content(for model: Model, separatingMistakesBy separator: String = " ") throws -> Content {
        let (content, problems) = Self.checked(path, settings, for: model) { [log] error in
            log.log(.error, .access, "\(error)")
        }
        guard let content else { throw Failure(problems.map(\.line).joined(separator: separator)) }
        if let tokens = content.identities.tokens, tokens.isRemote { tokens.refreshIfNeeded(now: .now) }
        return content
    }

    /// Uses rules that were read. Throws if the files of accounts can't be used; then the rules go on as they are.
    func use(_ content: Content, in api: API) throws {
        let accounts = try accounts(for: content.policy)
        let authenticator = authenticator(with: accounts)
        identities.use(content.identities)
        messages.use(content.messages)
        limits.start(with: authenticator, accounts: accounts)
        limits.use(content.policy)
        warnOfUnknownRoles(content.policy)
        api.replaceAccess(by: content.policy, authenticator: authenticator, accounts: accounts)
    }

    /// Logs which API keys have roles that the file doesn't have, and which mean nothing.
    private func warnOfUnknownRoles(_ policy: AccessPolicy) {
        var labels: [String: [String]] = [:]
        for key in identities.keys?.keys ?? [] where !key.hasExpired(at: .now) {
            for role in key.roles where policy.roles[role] == nil { labels[role, default: []].append(key.label) }
        }
        for (role, labels) in labels.sorted(by: { $0.key < $1.key }) {
            let more = labels.count > Self.namedKeys ? " and \(labels.count - Self.namedKeys) more" : ""
            let keys = labels.prefix(Self.namedKeys).joined(separator: ", ") + more
            log.log(
                .warning,
                .access,
                "API keys have the role “\(role)”, which the access file doesn't have: \(keys)."
                    + (Spelling.hint(for: role, among: policy.roles.keys.sorted()).map { " \($0)" } ?? ""),
                ["role": .string(role), "keys": .array(labels.map(JSONValue.string))]
            )
        }
    }

    private static let namedKeys = 5

    /// Reads the file again. If it has mistakes, the rules go on as they are.
    ///
    /// - Parameter api: Returns the present API; nil after the server's end.
    func reload(in api: @escaping @Sendable () -> API?) {
        queue.async { [self] in
            guard let api = api() else { return }
            do {
                try use(content(for: api.coordinator.model.model), in: api)
                log.log(.info, .access, "The access file was read again.")
            } catch {
                let message = (error as? Failure)?.message ?? "\(error)"
                log.log(.error, .access, "The access file isn't read again. \(message)")
            }
        }
    }

    /// Sends the messages that are waiting. Those that have failed before are lost.
    func endMessages(within time: Duration) { messages.end(within: time) }

    /// Writes the last uses of keys.
    func end() { upkeep.end() }

    /// The file's content, or all mistakes in it.
    static func checked(
        _ path: String,
        _ settings: ServeSettings,
        for model: Model,
        reportingTo report: @escaping @Sendable (IdentityError) -> Void = { _ in }
    ) -> (content: Content?, problems: [SettingProblem]) {
        let policy: AccessPolicy
        switch AccessFiles.read(path, for: model) {
        case .failure(let problems): return (nil, problems.problems.map { SettingProblem($0, in: path) })
        case .success(let read): policy = read
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        var files = [path]
        var identities = ServedIdentities.Settings(roles: Set(policy.roles.keys))
        do {
            identities.tokens = try policy.identity.tokens.map { tokens in
                let client = try KeySetClient(TLSClient())
                let read = try ServedTokens(
                    tokens,
                    besides: folder,
                    allowing: settings.accessHosts,
                    fetch: client.document,
                    report: report
                )
                if let file = read.file { files.append(file) }
                return read
            }
        } catch let error as IdentityError {
            return (nil, [SettingProblem(error, of: "identity.jwt.keys", in: path)])
        } catch {
            return (nil, [SettingProblem(place: path, message: "\(error)")])
        }
        identities.certificates = policy.identity.certificates.mapValues { Set($0) }
        guard identities.certificates.isEmpty || settings.tlsClientCA != nil else {
            let problem = SettingProblem(
                place: path,
                message: "identity.certificates: The server asks clients for no certificates.",
                hint: "Name the authority whose certificates are valid: --tls-client-ca FILE"
            )
            return (nil, [problem])
        }
        let messages: MessageReceiver?
        do {
            let secret = HookSecret(folder: folder, environment: ProcessInfo.processInfo.environment)
            messages = try policy.identity.accounts?.messages.map { messages throws in
                if let file = secret.path(messages.secret) { files.append(file) }
                return try MessageReceiver(messages, secret: secret, settings)
            }
        } catch let mistake as MessageReceiver.Mistake {
            let place = "identity.accounts.messages.\(mistake.member)"
            return (nil, [SettingProblem(place: path, message: "\(place): \(mistake.message)", hint: mistake.hint)])
        } catch {
            return (nil, [SettingProblem(place: path, message: "\((error as? Failure)?.message ?? "\(error)")")])
        }
        return (Content(policy: policy, identities: identities, messages: messages, files: files), [])
    }

    /// The API keys of the stores. Throws if their file can't be used.
    private static func keys(of settings: ServeSettings, _ log: ServerLog) throws -> KeyRing? {
        guard let file = settings.keyFile else { return nil }
        do throws(IdentityError) {
            return try KeyRing(file, now: .now) { log.log(.error, .access, "\($0)") }
        } catch {
            throw Failure(error)
        }
    }
}

extension ServerLog {
    /// Logs which roles of an API key the access file doesn't have.
    fileprivate func warn(ofUnknownRolesOf key: APIKey, _ known: Set<String>) {
        for role in key.roles where !known.contains(role) {
            log(
                .warning,
                .access,
                "The API key \(key.label) has the role “\(role)”, which the access file doesn't have."
                    + (Spelling.hint(for: role, among: known.sorted()).map { " \($0)" } ?? ""),
                ["role": .string(role), "keys": [.string(key.label)]]
            )
        }
    }
}

extension ServeSettings {
    /// The file of API keys.
    var keyFile: KeyFile? { storeOfKeys.map { KeyFile(besides: $0) } }

    /// The path of the store that keys and sessions are beside: the first SQLite store, or else the first one in a file.
    var storeOfKeys: String? {
        let files = storeChoices.compactMap { choice -> (kind: StoreKind, path: String)? in
            guard case .file(let kind, let path) = choice.place else { return nil }
            return (kind, path)
        }
        return (files.first { $0.kind == .sqlite } ?? files.first)?.path
    }
}

extension SettingProblem {
    init(_ problem: AccessProblem, in path: String) {
        self.init(
            place: problem.position.map { "\(path):\($0)" } ?? path,
            message: (problem.path.isEmpty ? "" : problem.path + ": ") + problem.message,
            hint: problem.hint
        )
    }

    fileprivate init(_ error: IdentityError, of member: String, in path: String) {
        self.init(
            place: path,
            message: "\(member): " + (error.place.map { "\($0): " } ?? "") + error.message,
            hint: error.hint
        )
    }
}
