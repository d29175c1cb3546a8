// SPDX-License-Identifier: Apache-2.0

// The run of a server from its start to its end.

import Files
import FoundationEssentials
import HTTPServer
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import SourceText

/// Starts a server, and waits for a signal to stop.
///
///     starting ──SIGTERM or SIGINT──▶ terminated by it
///     starting ──start──▶ running ──first SIGTERM or SIGINT──▶ draining ──all done, or timed out──▶ stopped
///                                                              draining ──second signal──▶ terminated at once
struct ServeRun: Sendable {
    let settings: ServeSettings
    let warnings: [SettingProblem]
    let terminal: Terminal

    /// - Parameter write: Writes the greeting to a terminal; without it, the log says that the server is ready.
    func run(writing write: OutputWriter?) throws {
        let signals = StopSignals()
        let log = try openLog()
        defer { log.flush() }
        do {
            try run(until: signals, log, writing: write)
        } catch {
            record(StoreFiles.failure(error), in: log)
            throw error
        }
    }

    /// Whether the standard error has lines of JSON alone, so that a failure isn't written there as a text.
    var logsFailures: Bool { settings.logFormat == .json && settings.logFile == nil }

    /// Logs why the server couldn't start. Without a file, people read it on the standard error.
    func record(_ failure: Failure) {
        guard let log = try? openLog() else { return }
        record(failure, in: log)
        log.flush()
    }

    private func record(_ failure: Failure, in log: ServerLog) {
        guard settings.logFormat == .json || settings.logFile != nil else { return }
        var fields = JSONObject()
        fields["code"] = failure.code.map(JSONValue.string)
        failure.place.add(to: &fields)
        fields["hint"] = failure.hint.map(JSONValue.string)
        log.log(.error, .start, failure.message, fields)
    }

    private func run(until signals: StopSignals, _ log: ServerLog, writing write: OutputWriter?) throws {
        for warning in warnings { log.log(.warning, .setting, warning.line) }
        for note in settings.notes { log.log(.info, .setting, note) }
        let opening = "Opening \(Wording.list(settings.storeChoices.map(\.text)))"
        let bar = ProgressBar(opening, isWanted: settings.logFormat == .people && settings.logFile == nil)
        let stack = try ServedStack(opening: settings)
        bar.end()
        if let store = stack.modelStore { log.log(.info, .setting, "The model is the one that \(store) carries.") }
        for migration in stack.migrations { log.log(.info, .store, migration) }
        let access = try ServedAccess(settings, log)
        let rules = try access?.content(
            for: stack.coordinator.model.model,
            separatingMistakesBy: logsFailures ? "\n" : "\noutcrop: "
        )
        let changing = ModelChanging(settings, log, access)
        let hooks = try ServedHooks(settings, log)
        let tls = try ServedTLS(settings, log)
        signals.onHangUp {
            log.reopen()
            tls?.reload()
            changing.reload()
        }
        var options = settings.api
        options.modelVersions = changing.knownVersions
        let backups = ScheduledBackups(settings, log)
        options.metrics = { Self.metrics(backups) }
        let first = try API(
            stack.coordinator,
            options: options,
            pages: settings.pages(hiding: rules?.files ?? []),
            onFailure: { log.log($0) },
            modelChanger: settings.allowModelChanges ? changing.answer : nil,
            hooks: hooks?.hooks,
            accessGuard: try rules.flatMap { try access?.start(with: $0) }
        )
        defer { access?.end() }
        log.watch(stack.coordinator, settings: settings)
        let contextFolder = try lockContextFolder()
        defer { withExtendedLifetime(contextFolder) {} }
        try keepContexts(of: first, log: log)
        let application = changing.application(beginningWith: first)
        let trimmer = HistoryTrimmer(settings, log) { application.api.coordinator }
        trimmer.start()
        defer { trimmer.end() }
        backups.start { application.api.coordinator }
        defer { backups.end() }
        try hooks?.start(with: first)
        defer { hooks?.end(within: .zero) }
        if hooks == nil { ServedHooks.warn(of: [], in: first, log) }
        // The signals outlive the stores, which are closed when they are released.
        signals.onHangUp { [weak application] in
            log.reopen()
            tls?.reload()
            // Rules and webhooks may need what the model adds.
            changing.reload {
                access?.reload { application?.api }
                hooks?.reload { application?.api }
            }
        }
        let logged = LoggedApplication(
            application: LimitedApplication(application: application, limits: access?.limits),
            log: log,
            watchesQueries: settings.slowQuery > .zero
        )
        let server = HTTPServer(application: logged, configuration: settings.server, tls: tls?.server)
        signals.startServing()
        do throws(ServerError) {
            try server.start()
        } catch {
            throw Self.failure(error, at: settings.listen + settings.redirectListen)
        }
        let greeting = StartupMessage(
            stack: stack,
            addresses: server.boundAddresses,
            isSecure: tls != nil,
            redirecting: server.boundRedirectAddresses,
            accessFile: settings.access,
            policy: rules?.policy,
            storeOfKeys: settings.storeOfKeys,
            pages: settings.servedPages
        )
        // What was logged before is above it.
        log.flush()
        try write?(greeting.text.rendered(on: terminal) + "\n")
        if write == nil || settings.logFile != nil { log.log(.info, .ready, greeting.line, greeting.fields) }
        if server.connectionLimit < settings.limits.connections {
            log.log(
                .warning,
                .setting,
                "The limit on connections is \(server.connectionLimit), not \(settings.limits.connections), because the system "
                    + "allows this process no more open files. Raise that limit with `ulimit -n`."
            )
        }
        for warning in settings.warnings(listeningAt: server.boundAddresses) {
            log.log(.warning, warning.event, warning.message)
        }
        let signal = signals.wait()
        log.log(
            .info,
            .stopping,
            "Received \(signal): running requests have \(SettingType.duration.write(settings.drainTime)) to end."
        )
        changing.end()
        let deadline = ContinuousClock.now + settings.drainTime
        hooks?.stop()
        let api = application.api
        api.drain()
        let isComplete = server.drain(timeout: settings.drainTime)
        hooks?.end(within: deadline - .now)
        access?.endMessages(within: deadline - .now)
        api.flushContexts()
        log.log(
            isComplete ? .info : .warning,
            .stopped,
            isComplete ? "Stopped." : "Stopped; some requests were aborted."
        )
    }

    /// The metrics that the API doesn't know.
    private static func metrics(_ backups: ScheduledBackups) -> [APIMetric] {
        let labels = [APIMetric.Label("version", Version.number), APIMetric.Label("commit", Version.commit ?? "")]
        return [.gauge("outcrop_build_info", 1, "The version of the server.", labels)] + backups.metrics
    }

    /// Opens and locks the folder of the drafts, so that two servers can't overwrite each other's.
    private func lockContextFolder() throws -> OpenFolder? {
        guard let path = settings.keptContexts else { return nil }
        // Drafts of a read-only server can't be saved; nothing is created beside its stores.
        if settings.readOnly, settings.contextFolder == nil, !FileSystem.exists(path) { return nil }
        let folder: OpenFolder
        do throws(FileError) {
            if !FileSystem.exists(path) { try OpenFolder.make(path) }
            folder = try OpenFolder(path)
        } catch {
            throw Self.noContexts(in: path, because: error.reason)
        }
        guard folder.restrictToOwner() else {
            let other = ProcessSearch.lockHolder(of: path).map { " (\($0.words))" } ?? ""
            let store = settings.contextFolder == nil ? "serves this store, and " : ""
            throw Failure(
                "Another server\(other) \(store)keeps its editing contexts in “\(path)”.",
                hint: "End that server first, or let this one keep its contexts elsewhere, with --context-folder."
            )
        }
        return folder
    }

    /// The failure to listen, with the process that occupies the address.
    private static func failure(_ error: ServerError, at addresses: [ListenAddress]) -> Failure {
        let address = addresses.first { $0.description == error.address }
        guard error.code == .addressInUse, let other = address.flatMap(ProcessSearch.listener) else {
            return Failure(error.description)
        }
        return Failure(
            "\(error.address ?? "The address") is in use by \(other.words).",
            hint: "Choose another address with --listen, or end that process."
        )
    }

    private static func noContexts(in folder: String, because reason: String) -> Failure {
        Failure(
            "Editing contexts can't be kept in “\(folder)”: \(reason)".asSentenceEnd,
            hint: "Choose another folder with --context-folder."
        )
    }

    /// Restores the drafts of an earlier run, and logs those that are lost.
    private func keepContexts(of api: API, log: ServerLog) throws {
        guard let folder = settings.keptContexts else { return }
        do {
            for lost in try api.keepContexts(in: folder) {
                log.log(.warning, .context, "The editing context \(lost.name) couldn't be loaded: \(lost.reason).")
            }
        } catch {
            throw Self.noContexts(in: folder, because: "\(error)")
        }
    }

    private func openLog() throws -> ServerLog {
        let writer = LogWriter(
            format: settings.logFormat,
            showsValues: settings.logValues,
            isStyled: settings.logFile == nil && Terminal.errorsAreStyled
        )
        do throws(LogFileError) {
            return ServerLog(writer, level: settings.logLevel, file: try LogFile(path: settings.logFile))
        } catch {
            throw Failure(error.message)
        }
    }
}
