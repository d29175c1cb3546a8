// SPDX-License-Identifier: Apache-2.0

// The values of settings, with their defaults.

import HTTPServer
import Predicates
import RESTAPI
import SQLiteStore

/// All settings of `outcrop serve`. `Setting.all` has their names and descriptions.
struct ServeSettings: Sendable {
    var model: String?
    var stores: [StoreChoice] = []
    var readOnly = false
    var synchronous = Synchronous.full
    var replacedStore = ReplacedStore.refuse
    var migrate = Migrate.no
    var allowModelChanges = false
    var history = HistoryMode.automatic
    var historyAge = Duration.seconds(30 * 86_400)
    var historyLimit = 1_000_000
    var historyConsumerAge = Duration.seconds(30 * 86_400)
    var historyConsumerLimit = 10_000_000
    var backup: String?
    var backupEvery = Duration.seconds(86_400)
    var backupKeep = 7
    var hooks: String?
    var hookHosts: [HookHost] = []
    var hookFolder: String?
    var hookCA: String?
    var rowCache = 64 << 20
    var demo = false
    var demoSize = 2_000
    var demoSeed = 1
    /// What was chosen because the settings don't say it, for the log.
    var notes: [String] = []
    /// The folder of a default store, which is created.
    var newFolder: String?

    var listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 8080)]
    var tlsCertificates: [String] = []
    var tlsKeys: [String] = []
    var tlsClientCA: String?
    var tlsClientCert = TLSClientCert.optional
    var redirectListen: [ListenAddress] = []
    var hstsAge = Duration.zero
    var access: String?
    var accessHosts: [String] = []
    var allowAnonymous = false
    var publicFolder: String?
    var noConsole = false
    var contextFolder: String?
    var loops: Int?
    var workers: Int?
    var workersPerClient: Int?
    var streamWorkers = 16
    var drainTime = Duration.seconds(10)
    var limits = ServerLimits()
    var api = ServeSettings.apiOptions

    var logFormat = LogFormat.people
    var logLevel = LogLevel.info
    var logFile: String?
    var logValues = false
    var slowQuery = Duration.milliseconds(250)

    /// The API's options with the version of the program.
    private static let apiOptions = {
        var options = APIOptions()
        options.version = Version.number
        return options
    }()

    /// When a save counts as written.
    enum Synchronous: String, CaseIterable, Sendable {
        case full
        case normal
    }

    /// The reaction to a store file that is replaced while it is served.
    enum ReplacedStore: String, CaseIterable, Sendable {
        case refuse
        case reopen
    }

    /// What happens to a store of another version of the model.
    enum Migrate: String, CaseIterable, Sendable {
        case no
        case auto
        case recreate
    }

    /// Whether clients must show a certificate.
    enum TLSClientCert: String, CaseIterable, Sendable {
        case optional
        case required
    }

    /// Where drafts are stored; nil if they aren't, since stores in memory are lost with the process.
    var keptContexts: String? {
        if let contextFolder { return contextFolder }
        for case .file(_, let path) in storeChoices.map(\.place) { return path + "-contexts" }
        return nil
    }

    /// Where dead letters of hooks are stored; nil if they are kept in memory, as the history of such stores is.
    var keptHooks: String? {
        if let hookFolder { return hookFolder }
        for case .file(_, let path) in storeChoices.map(\.place) { return path + "-hooks" }
        return nil
    }

    /// The limit of the server is that of the API.
    var bodyLimit: Int {
        get { api.bodyLimit }
        set {
            api.bodyLimit = newValue
            limits.body = newValue
        }
    }

    /// Zero means no limit.
    var streamStateTime: Duration {
        get { api.streamStateTime ?? .zero }
        set { api.streamStateTime = newValue == .zero ? nil : newValue }
    }

    /// Zero means no deadline.
    var deadline: Duration {
        get { api.deadline ?? .zero }
        set { api.deadline = newValue == .zero ? nil : newValue }
    }

    /// Zero means no deadline.
    var batchDeadline: Duration {
        get { api.batchDeadline ?? .zero }
        set { api.batchDeadline = newValue == .zero ? nil : newValue }
    }

    var predicateLength: Int {
        get { api.predicateLimits.maximumLength }
        set { api.predicateLimits.maximumLength = newValue }
    }

    var predicateDepth: Int {
        get { api.predicateLimits.maximumDepth }
        set { api.predicateLimits.maximumDepth = newValue }
    }

    var predicateTerms: Int {
        get { api.predicateLimits.maximumTerms }
        set { api.predicateLimits.maximumTerms = newValue }
    }

    /// The configuration of the server.
    var server: ServerConfiguration {
        var configuration = ServerConfiguration(addresses: listen)
        configuration.redirectAddresses = redirectListen
        configuration.strictTransportSecurity = hstsAge == .zero ? nil : hstsAge
        if let loops { configuration.loops = loops }
        if let workers { configuration.workers = workers }
        configuration.workersPerClient = workersPerClient
        configuration.streamWorkers = streamWorkers
        configuration.limits = limits
        return configuration
    }
}
