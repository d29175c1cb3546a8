// SPDX-License-Identifier: Apache-2.0

// Checks whether a server could start, and reports all problems at once.

import AtomicStores
import Files
import FoundationEssentials
import HTTPServer
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import SQLiteStore

/// Checks the settings, and the files that they name.
struct ServeCheck {
    let reading: SettingsReader
    private var settings: ServeSettings { reading.settings }

    /// The problems that can be found without opening files.
    func contradictions() -> [SettingProblem] {
        var problems = reading.problems
        func refuse(_ key: String, _ message: String, hint: String? = nil) {
            problems.append(SettingProblem(place: place(of: key), message: message, hint: hint))
        }
        if settings.listen.isEmpty {
            refuse("listen", "There is no address to listen on.", hint: "The default is 127.0.0.1:8080.")
        }
        if !settings.allowAnonymous, settings.access == nil {
            for address in settings.listen where !address.isLocal {
                let name = address == .activated ? "the sockets that systemd passes" : "\(address)"
                refuse(
                    "listen",
                    "Other machines can reach \(name), and there are no access rules: every client may read and write "
                        + "all data.",
                    hint:
                        "Give rules: --access FILE. Or listen on 127.0.0.1 or on a Unix socket, behind a proxy that "
                        + "authenticates clients, or allow it: --allow-anonymous"
                )
            }
        }
        refuseContradictionsOfTLS(refuse)
        if settings.storeChoices.isEmpty {
            refuse(
                "store",
                "Nothing is given to serve.",
                hint:
                    "Give a model or a store: outcrop serve App.xcdatamodeld. Begin a new server: outcrop init. Or try the "
                    + "demo: outcrop serve --demo"
            )
        }
        if settings.readOnly {
            for choice in settings.storeChoices where choice.place == .memory {
                refuse("readOnly", "The store “\(choice.text)” is always created empty, so it can't be read-only.")
            }
        }
        if settings.hooks != nil, settings.readOnly {
            refuse(
                "hooks",
                "Webhooks write their positions into the stores, which are read-only.",
                hint: "Run them on the server that writes the stores."
            )
        }
        if settings.hooks != nil, settings.history == .off {
            refuse("hooks", "Webhooks deliver the history, which is off.", hint: "Omit --history off.")
        }
        if settings.backup != nil, settings.storeChoices.allSatisfy({ $0.place == .memory }) {
            refuse("backup", "Only stores in files can be backed up, and there is none.")
        }
        if settings.backupEvery <= .zero {
            refuse("backupEvery", "A backup can't be made every 0 s.", hint: "The default is 24 h.")
        }
        if settings.noConsole, settings.publicFolder != nil {
            refuse("public", "The folder isn't served with noConsole.", hint: "Omit --public or --no-console.")
        }
        if settings.access == nil, !settings.accessHosts.isEmpty {
            refuse("accessHosts", "accessHosts needs an access file.", hint: "Give one: --access FILE")
        }
        if settings.api.pageSize > settings.api.maximumPageSize {
            refuse(
                "pageSize",
                "pageSize is \(settings.api.pageSize), above maximumPageSize, which is \(settings.api.maximumPageSize)."
            )
        }
        if let folder = settings.publicFolder, !Self.isFolder(folder) {
            refuse("public", "There is no folder “\(folder)”.")
        }
        return problems
    }

    private func refuseContradictionsOfTLS(_ refuse: (_ key: String, _ message: String, _ hint: String?) -> Void) {
        let count = settings.tlsCertificates.count
        if count != settings.tlsKeys.count {
            refuse(
                count > settings.tlsKeys.count ? "tlsCert" : "tlsKey",
                "The numbers of certificates and keys differ: \(count) and \(settings.tlsKeys.count).",
                "Give a key for each certificate, in the same order: --tls-cert FILE --tls-key FILE"
            )
        }
        guard count == 0 else {
            if settings.tlsClientCert == .required, settings.tlsClientCA == nil {
                refuse(
                    "tlsClientCert",
                    "Clients must show certificates, but no authority is given whose certificates are valid.",
                    "Give one: --tls-client-ca FILE"
                )
            }
            return
        }
        let isNeeded = [
            ("redirectListen", !settings.redirectListen.isEmpty), ("tlsClientCa", settings.tlsClientCA != nil),
            ("tlsClientCert", settings.tlsClientCert == .required), ("hstsAge", settings.hstsAge > .zero),
        ]
        for (key, isGiven) in isNeeded where isGiven {
            refuse(
                key,
                "\(key) needs TLS, for which there is no certificate.",
                "Give one: --tls-cert FILE --tls-key FILE"
            )
        }
    }

    /// All problems, including those of the model, the stores and the log, and what a start would do with stores of other
    /// versions. Creates and changes nothing.
    func findings() -> (problems: [SettingProblem], migrations: [String]) {
        var problems = contradictions()
        var migrations: [String] = []
        func check(_ key: String, _ work: () throws -> Void) {
            do {
                try work()
            } catch {
                let failure = StoreFiles.failure(error)
                let details = failure.issues.filter { $0.severity == .error }.map(\.message)
                problems.append(
                    SettingProblem(
                        place: failure.place.file ?? place(of: key),
                        message: ([failure.message] + details).joined(separator: " "),
                        hint: failure.hint
                    )
                )
            }
        }
        problems += fileProblems()
        check("hookCa") { if settings.hookCA != nil { _ = try ServedHooks.tls(settings) } }
        check("tlsCert") { if !settings.tlsCertificates.isEmpty { try ServedTLS.check(settings) } }
        guard !settings.storeChoices.isEmpty else { return (problems, []) }
        var sound: [StoreChoice] = []
        for choice in settings.storeChoices {
            check("store") {
                // A folder that the start creates need not exist yet.
                if settings.newFolder.map(FileSystem.exists) != false {
                    try choice.checkPlace(isReadOnly: settings.readOnly)
                }
                sound.append(choice)
            }
        }
        // Without --model, the model comes from a store, which may be one that can't be opened.
        guard sound.count == settings.storeChoices.count || settings.model != nil else { return (problems, []) }
        check("model") {
            let (model, _, _) = try ServedStack.model(of: settings)
            let coordinator = PersistentStoreCoordinator(model: model)
            for choice in sound {
                check("store") {
                    let migrating = StoreMigrating(settings: settings, model: model)
                    let migration = try migrating.check(choice)
                    migrations += [migration].compactMap(\.self)
                    let store = migration == nil ? try openable(choice, in: model) : InMemoryStore(model: model)
                    try coordinator.add(store, configuration: choice.configuration)
                }
            }
            if coordinator.stores.count == settings.storeChoices.count {
                check("store") { try ServedStack.checkEntities(of: settings.storeChoices, in: coordinator) }
            }
            check("model") {
                let api = try API(coordinator, options: settings.api)
                if let path = settings.access {
                    problems += ServedAccess.checked(path, settings, for: model.model).problems
                }
                guard let path = settings.hooks else { return }
                problems += ServedHooks.checked(path, settings, in: api).problems
            }
        }
        return (problems, migrations)
    }

    /// Opens an existing store; an in-memory store substitutes for one that would be created.
    private func openable(_ choice: StoreChoice, in model: ManagedObjectModel) throws -> any PersistentStore {
        guard case .file(let kind, let path) = choice.place else { return InMemoryStore(model: model) }
        if let format = kind.format {
            guard FileManager.default.fileExists(atPath: path) else { return InMemoryStore(model: model) }
            return try AtomicStore(path: path, format: format, model: model, isReadOnly: true)
        }
        guard try !SQLiteStore.isUncreated(path: path) else { return InMemoryStore(model: model) }
        var options = settings.sqlite(choice)
        options.isReadOnly = true
        return try SQLiteStore(path: path, model: model, options: options)
    }

    func place(of key: String) -> String {
        if let place = reading.places[key] { return place }
        return Setting.all.first { $0.key == key }.map { "--\($0.option)" } ?? key
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    static func folder(of path: String) -> String { URL(filePath: path).deletingLastPathComponent().path }
}

extension ServeCheck {
    /// The report of `--check`.
    var report: Report {
        let (problems, migrations) = findings()
        let warnings = reading.warnings
        let json: JSONObject = [
            "ok": .bool(problems.isEmpty),
            "problems": .array(problems.map(\.json)),
            "migrations": .array(migrations.map(JSONValue.string)),
            "warnings": .array(warnings.map(\.json)),
        ]
        var lines = warnings.map { StyledText("warning: ", .yellow) + StyledText($0.line) }
        lines += migrations.map { StyledText($0) }
        lines += problems.map { StyledText("error: ", .red) + StyledText($0.line) }
        if problems.isEmpty {
            let addresses = settings.listen.map(\.description).joined(separator: ", ")
            let stores = settings.storeChoices.map(\.text).joined(separator: ", ")
            // A server that is to be replaced may still listen there.
            lines.append(StyledText("No problems: \(stores) can be served. Listening on \(addresses) was not tried."))
        }
        return Report(
            text: lines.joined(separator: "\n"),
            json: .object(json),
            status: problems.isEmpty ? .fine : .problems
        )
    }
}

extension SettingProblem {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["place": .string(place), "message": .string(message)]
        json["hint"] = hint.map(JSONValue.string)
        return .object(json)
    }
}
