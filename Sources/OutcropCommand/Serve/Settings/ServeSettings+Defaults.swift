// SPDX-License-Identifier: Apache-2.0

// The store that is served if none is given: beside the model, or for the demo in the user's folder of data.

import Files
import FoundationEssentials

extension ServeSettings {
    /// Chooses the store if none is given, and notes it for the log.
    mutating func addDefaultStore(environment: [String: String]) {
        guard stores.isEmpty else { return }
        if let model {
            let path = Self.path(besides: model, suffix: demo ? "-demo" : "")
            stores = [.sqlite(path)]
            notes.append("The store is \(path), beside the model. Another one: --store STORE")
        } else if demo {
            addDemoStore(environment)
        }
    }

    private mutating func addDemoStore(_ environment: [String: String]) {
        guard let folder = Self.dataFolder(environment), Self.canBeWritten(folder) else {
            stores = [.memory]
            notes.append("The demo is kept in memory, because there is no folder for it. To keep it: --store FILE")
            return
        }
        let path = folder + "/Demo.sqlite"
        guard !readOnly || FileSystem.exists(path) else {
            // A check refuses this.
            stores = [.memory]
            return
        }
        stores = [.sqlite(path)]
        newFolder = folder
        notes.append("The demo's data are kept in \(path). For data that are thrown away: --store memory")
    }

    /// `Blog.sqlite` for `Blog.xcdatamodeld`, and also for a version in it.
    static func path(besides model: String, suffix: String) -> String {
        var segments = model.split(separator: "/", omittingEmptySubsequences: false)
        while segments.count > 1, segments.last == "" { segments.removeLast() }
        let bundle = segments.firstIndex { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".momd") }
        if let bundle { segments = Array(segments[...bundle]) }
        if segments.last == "contents", segments.count > 1 { segments.removeLast() }
        let name = segments.removeLast()
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        return (segments.map(String.init) + ["\(stem)\(suffix).sqlite"]).joined(separator: "/")
    }

    /// The folder for data of this program, as the XDG Base Directory Specification has it.
    private static func dataFolder(_ environment: [String: String]) -> String? {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        return (absolute("XDG_DATA_HOME") ?? absolute("HOME").map { $0 + "/.local/share" }).map { $0 + "/outcrop" }
    }

    /// Whether the folder, or the first existing one above it, can be written to.
    private static func canBeWritten(_ folder: String) -> Bool {
        var url = URL(filePath: folder)
        while url.path != "/", !FileSystem.exists(url.path) { url.deleteLastPathComponent() }
        return !FileSystem.isFile(url.path) && FileManager.default.isWritableFile(atPath: url.path)
    }

    /// Creates the folder of a default store.
    func makeNewFolder() throws {
        guard let newFolder else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: newFolder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure(
                "The folder can't be created.",
                hint: "Choose another store: --store FILE, or --store memory",
                code: "store.notFound",
                file: newFolder
            )
        }
    }
}
