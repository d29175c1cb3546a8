// SPDX-License-Identifier: Apache-2.0

// The webhooks of a running server.

import Cryptography
import Dispatch
import Files
import FoundationEssentials
import JSON
import ObjectGraph
import RESTAPI
import SourceText
import Synchronization

/// Reads the file of webhooks, and starts them.
final class ServedHooks: Sendable {
    /// For the API.
    let hooks: Hooks
    private let settings: ServeSettings
    private let log: ServerLog
    /// Locked, so that two servers can't overwrite each other's files.
    private let folder: OpenFolder?
    private let queue = DispatchQueue(label: "file of webhooks")

    /// Nil without the setting.
    init?(_ settings: ServeSettings, _ log: ServerLog) throws {
        guard settings.hooks != nil else { return nil }
        self.settings = settings
        self.log = log
        folder = try settings.keptHooks.map(Self.locked)
        hooks = Hooks(
            folder: settings.keptHooks,
            send: HookClient(tls: try Self.tls(settings)).send,
            report: { log.log($0) }
        )
    }

    /// The client that trusts the system's authorities and those of the settings.
    static func tls(_ settings: ServeSettings) throws -> TLSClient {
        let authorities = try settings.hookCA.map(ServedTLS.text)
        do throws(CryptographyError) {
            return try TLSClient(authorities: authorities)
        } catch {
            throw Failure("--hook-ca: \(error.message)")
        }
    }

    private static func locked(_ path: String) throws -> OpenFolder {
        func failure(_ reason: String) -> Failure {
            Failure(
                "The files of webhooks can't be kept in “\(path)”: \(reason)".asSentenceEnd,
                hint:
                    "If another server has them, run the webhooks only there, or each change is delivered twice. Else choose "
                    + "another folder with --hook-folder."
            )
        }
        do throws(FileError) {
            try OpenFolder.make(path)
            try OpenFolder(URL(filePath: path).deletingLastPathComponent().path).sync()
            let folder = try OpenFolder(path)
            if folder.restrictToOwner() { return folder }
        } catch {
            throw failure(error.reason)
        }
        throw failure("another server keeps its webhooks there.")
    }

    /// Starts the hooks. Throws if the file has mistakes.
    func start(with api: API) throws {
        guard let path = settings.hooks else { return }
        let (file, problems) = Self.checked(path, settings, in: api)
        guard problems.isEmpty else { throw Failure(problems.map(\.line).joined(separator: "\noutcrop: ")) }
        try hooks.start(file.hooks, with: api)
        Self.warn(of: file.hooks, in: api, log)
    }

    /// Reads the file again. If it has mistakes, the hooks go on as they are.
    ///
    /// - Parameter api: Returns the present API; nil after the server's end.
    func reload(with api: @escaping @Sendable () -> API?) {
        queue.async { [self] in
            guard let api = api() else { return }
            do {
                try start(with: api)
                log.log(.info, .hook, "The file of webhooks was read again.")
            } catch {
                let message = (error as? Failure)?.message ?? "\(error)"
                log.log(.error, .hook, "The file of webhooks isn't read again. \(message)")
            }
        }
    }

    /// Begins no further steps. Nothing can be started afterwards.
    func stop() { hooks.stop() }

    /// Waits for the steps that are being taken.
    func end(within time: Duration) { hooks.end(within: time) }

    /// The file, and all mistakes in it.
    static func checked(
        _ path: String,
        _ settings: ServeSettings,
        in api: API
    ) -> (file: HooksFile, problems: [SettingProblem]) {
        let file = HooksFile(
            path: path,
            allowing: settings.hookHosts,
            environment: ProcessInfo.processInfo.environment
        )
        var problems = file.problems + file.problems(in: api)
        if !api.coordinator.keepsHistory {
            problems.append(
                SettingProblem(
                    place: "--hooks",
                    message: "Webhooks deliver the history, and no store keeps one.",
                    hint: "A store of an app gets one with --history on."
                )
            )
        }
        return (file, problems)
    }

    /// Logs which consumers of former hooks keep history.
    static func warn(of hooks: [Hook], in api: API, _ log: ServerLog) {
        for consumer in (try? Hooks.leftConsumers(besides: hooks, in: api)) ?? [] {
            log.log(
                .warning,
                .hook,
                "The history keeps what the former webhook's consumer \(consumer) hasn't read. If it isn't needed, remove it: "
                    + "DELETE /api/history/consumers/\(consumer)"
            )
        }
    }
}

extension ServerLog {
    func log(_ event: HookEvent) {
        let level: LogLevel =
            switch event.level {
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        log(level, .hook, "Webhook \(event.hook): \(event.message)", ["hook": .string(event.hook)])
    }
}
