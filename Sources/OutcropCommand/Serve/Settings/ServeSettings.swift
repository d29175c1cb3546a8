// SPDX-License-Identifier: Apache-2.0

// What can be chosen for a server, with what is chosen where nobody says anything.

import HTTPServer
import Predicates
import RESTAPI

/// All settings of `outcrop serve`. `Setting.all` says what each is called, and why it is as it is.
struct ServeSettings: Sendable {
    var model: String?
    var stores: [StoreChoice] = []
    var readOnly = false
    var synchronous = Synchronous.full
    var replacedStore = ReplacedStore.refuse
    var rowCache = 64 << 20
    var demo = false
    var demoSize = 2_000
    var demoSeed = 1

    var listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 8080)]
    var allowAnonymous = false
    var publicFolder: String?
    var contextFolder: String?
    var loops: Int?
    var workers: Int?
    var workersPerClient: Int?
    var streamWorkers = 16
    var drainTime = Duration.seconds(10)
    var limits = ServerLimits()
    var api = APIOptions()

    var logFormat = LogFormat.people
    var logLevel = LogLevel.info
    var logFile: String?
    var logValues = false
    var slowQuery = Duration.milliseconds(250)

    /// When a save counts as written.
    enum Synchronous: String, CaseIterable, Sendable {
        case full
        case normal
    }

    /// What is done about a store whose file is another one while it is served.
    enum ReplacedStore: String, CaseIterable, Sendable {
        case refuse
        case reopen
    }

    /// Where editing contexts are kept; nil where they aren't: stores in memory are gone with the process.
    var keptContexts: String? {
        if let contextFolder { return contextFolder }
        for case .file(_, let path) in storeChoices.map(\.place) { return path + "-contexts" }
        return nil
    }

    /// The server bears as much as the API wants to see.
    var bodyLimit: Int {
        get { api.bodyLimit }
        set { (api.bodyLimit, limits.body) = (newValue, newValue) }
    }

    /// Zero is no bound.
    var streamStateTime: Duration {
        get { api.streamStateTime ?? .zero }
        set { api.streamStateTime = newValue == .zero ? nil : newValue }
    }

    /// Zero is no deadline.
    var deadline: Duration {
        get { api.deadline ?? .zero }
        set { api.deadline = newValue == .zero ? nil : newValue }
    }

    /// Zero is no deadline.
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

    /// What the server is set up with.
    var server: ServerConfiguration {
        var configuration = ServerConfiguration(addresses: listen)
        if let loops { configuration.loops = loops }
        if let workers { configuration.workers = workers }
        configuration.workersPerClient = workersPerClient
        configuration.streamWorkers = streamWorkers
        configuration.limits = limits
        return configuration
    }
}
