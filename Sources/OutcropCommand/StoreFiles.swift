// SPDX-License-Identifier: Apache-2.0

// Stores named on the command line: by a path, or by a URL with the kind of store as its scheme.

import Arguments
import AtomicStores
import Files
import FoundationEssentials
import ObjectGraph
import ObjectModel
import SQLiteStore

/// The kind of a store's file.
enum StoreKind: String, CaseIterable, ArgumentValue {
    case sqlite
    case xml
    case binary

    /// The kind that the extension of a new file suggests.
    init?(extensionOf path: String) {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "sqlite", "sqlite3", "db", "store", "storedata": self = .sqlite
        case "xml": self = .xml
        case "binary", "bin": self = .binary
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .sqlite: "SQLite"
        case .xml: "XML"
        case .binary: "binary"
        }
    }

    /// The format of an atomic store; nil for SQLite.
    var format: (any AtomicFileFormat)? {
        switch self {
        case .sqlite: nil
        case .xml: .xml
        case .binary: .binary
        }
    }
}

/// The path of a store, with its kind if given.
struct StoreLocation: ArgumentValue {
    let argument: String
    let path: String
    let scheme: StoreKind?

    init(argument: String) throws(InvalidArgument) {
        self.argument = argument
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        scheme = parts.count == 2 ? StoreKind(rawValue: String(parts[0])) : nil
        guard scheme != nil else {
            path = argument
            if argument.isEmpty { throw InvalidArgument("expected a path, or a URL such as sqlite:App.sqlite") }
            return
        }
        let rest = String(parts[1])
        // A URL with slashes is percent-encoded.
        path = rest.hasPrefix("//") ? URL(string: argument)?.path ?? "" : rest
        if path.isEmpty { throw InvalidArgument("expected a path after “\(parts[0]):”, as in sqlite:App.sqlite") }
    }

    /// Whether the store doesn't exist yet: the file is missing, or was left by an interrupted creation.
    var isUncreated: Bool {
        get throws {
            guard FileSystem.exists(path) else { return true }
            guard FileSystem.isFile(path) else { return false }
            let kind = try StoreFiles.kind(ofFile: path)
            return try kind == .sqlite ? SQLiteStore.isUncreated(path: path) : FileSystem.size(of: path) == 0
        }
    }

    /// The kind of a file to be created.
    var newKind: StoreKind { scheme ?? StoreKind(extensionOf: path) ?? .sqlite }

    /// The kind of the file at the path.
    func existingKind() throws -> StoreKind {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Failure("The file doesn't exist.", code: "store.notFound", file: path)
        }
        guard !isFolder else {
            throw Failure("This is a folder, not a store.", code: "store.notAStore", file: path)
        }
        guard FileSystem.isFile(path) else {
            throw Failure(
                "What is there is not a file, but a device, a pipe or the like.",
                code: "store.notAStore",
                file: path
            )
        }
        if let kind = try scheme ?? StoreFiles.kind(ofFile: path) { return kind }
        if StoreFiles.isCoreDataXML(path) { throw Failure.coreDataXML(path) }
        throw Failure(
            "This isn't a store: neither a SQLite database, nor a store in XML or binary form.",
            code: "store.notAStore",
            file: path
        )
    }
}

/// An open store.
struct OpenedStore {
    let kind: StoreKind
    let path: String
    let store: any PersistentStore
    let model: ManagedObjectModel
    /// The configuration of the store; nil for all entities.
    var configuration: String?
}

enum StoreFiles {
    static let completion = Completion.file(["sqlite", "sqlite3", "db", "xml", "binary"])

    /// The kind of store that the first bytes of a file indicate.
    static func kind(ofFile path: String) throws -> StoreKind? {
        let start: [UInt8]
        do {
            start = try OpenFile(reading: path).read(at: 0, count: 512)
        } catch {
            throw Failure("The file can't be read: \(error.reason).", code: "store.notFound", file: path)
        }
        if start.starts(with: Array("SQLite format 3\0".utf8)) { return .sqlite }
        if start.starts(with: Array("OUTCROP\0".utf8)) { return .binary }
        return String(decoding: start, as: UTF8.self).contains("<store ") ? .xml : nil
    }

    /// Whether Core Data has written a file as XML.
    static func isCoreDataXML(_ path: String) -> Bool {
        guard let start = try? OpenFile(reading: path).read(at: 0, count: 512) else { return false }
        return String(decoding: start, as: UTF8.self).contains("CoreData.dtd")
    }

    /// Opens a store with the given model or the one that it carries.
    ///
    /// - Parameter isReadOnly: Whether nothing is written. Otherwise a missing store is created.
    static func open(_ location: StoreLocation, model path: String?, isReadOnly: Bool = true) throws -> OpenedStore {
        // A store in XML or binary form is read as a whole, and an index of a SQLite store may have to be built.
        try ProgressBar.showing("Opening \(location.path)") { _ in
            try openStore(location, model: path, isReadOnly: isReadOnly)
        }
    }

    private static func openStore(
        _ location: StoreLocation,
        model path: String?,
        isReadOnly: Bool
    ) throws -> OpenedStore {
        let isUncreated = try !isReadOnly && location.isUncreated
        guard !isUncreated || path != nil else { throw modelNeeded(location) }
        let kind = try isUncreated ? location.newKind : location.existingKind()
        let given = try path.map { path in try model(path) }
        guard let format = kind.format else {
            var options = SQLiteStoreOptions()
            options.isReadOnly = isReadOnly
            let store = try sqlite(location.path, model: given, options: options)
            return OpenedStore(
                kind: kind,
                path: location.path,
                store: store,
                model: store.model,
                configuration: store.configuration
            )
        }
        guard let given else {
            throw Failure(
                "A store in \(kind.name) form carries no model.",
                hint: "Give its model: --model FILE",
                code: "store.noModel",
                file: location.path
            )
        }
        let store = try AtomicStore(path: location.path, format: format, model: given, isReadOnly: isReadOnly)
        return OpenedStore(kind: kind, path: location.path, store: store, model: given)
    }

    /// Opens a SQLite store in its own configuration, with the given model or the one that it carries.
    static func sqlite(
        _ path: String,
        model: ManagedObjectModel?,
        options: SQLiteStoreOptions = SQLiteStoreOptions()
    ) throws -> SQLiteStore {
        var options = options
        options.findsConfiguration = true
        guard let model else { return try SQLiteStore(path: path, options: options) }
        return try SQLiteStore(path: path, model: model, options: options)
    }

    /// The failure if a store can't be created without a model.
    static func modelNeeded(_ location: StoreLocation) -> Failure {
        let server = location.path.isHostWithPort ? "A server's address begins with http://. " : ""
        return Failure(
            FileSystem.exists(location.path) ? "There is no store in the file yet." : "The file doesn't exist.",
            hint: "\(server)To create a store there, name its model: --model FILE",
            code: "store.notFound",
            file: location.path
        )
    }

    /// Removes a SQLite store without objects, unless it is open.
    static func removeEmpty(_ location: StoreLocation, model path: String?) {
        // Closes the store before its files are removed.
        func isEmpty() throws -> Bool {
            let opened = try open(location, model: path)
            guard opened.kind == .sqlite else { return false }
            return try opened.model.entities.allSatisfy { try $0.isAbstract || opened.store.count(of: $0) == 0 }
        }
        do {
            guard try isEmpty(), try SQLiteStore.checkpointIntoOneFile(location.path).isEmpty else { return }
            for file in SQLiteStore.filesOfStore(at: location.path) where FileSystem.exists(file) {
                try FileSystem.remove(file)
            }
        } catch {
            // A store that is in use stays.
        }
    }

    /// A usable model. Throws if it has errors.
    static func model(_ path: String) throws -> ManagedObjectModel {
        let version = try ModelFiles.readComplete(path)
        do {
            return try ManagedObjectModel(version.model)
        } catch {
            throw Failure("\(path) has errors, so no store can be opened with it.", issues: error.issues)
        }
    }

    static func entity(named name: String, in opened: OpenedStore) throws -> EntityDescription {
        if let entity = opened.model.entity(named: name) { return entity }
        let version = ModelVersion(name: "", model: opened.model.model)
        _ = try ModelFiles.entity(named: name, in: version, at: opened.path)
        throw Failure("\(opened.path) has no entity “\(name)”.")
    }

    /// Converts errors of stores and of the object graph to failures.
    static func failure(_ error: any Error) -> Failure {
        switch error {
        case let error as Failure: error
        case let error as StoreError:
            Failure(
                error.message + (error.holder.map { " It is \($0.words)." } ?? ""),
                // On the command line the model is an option.
                hint: error.code == .noModel ? Self.modelHint : error.hint,
                code: "store.\(error.code.rawValue)",
                file: error.path
            )
        case let error as StoreFileError:
            Failure(error.message, hint: error.hint, code: "store.\(error.code.rawValue)", file: error.path)
        case let error as GraphError:
            error.underlying.map(failure)
                ?? Failure(error.message, hint: error.hint, code: "graph.\(error.code.rawValue)", file: nil)
        default: Failure("\(error)")
        }
    }

    private static let modelHint = "Give the model that it was written with: --model FILE"
}

extension Failure {
    static func coreDataXML(_ path: String) -> Failure {
        Failure(
            "This is a file that Core Data has written as XML, a store or a mapping model, and isn't read as a store: "
                + "XML stores have a format of their own here.",
            hint: "Let the app migrate its store to SQLite. A mapping model is for `outcrop migrate --mapping`.",
            code: "store.notAStore",
            file: path
        )
    }
}

extension StoreError {
    /// The process that has locked the store, if known.
    fileprivate var holder: FoundProcess? { code == .locked ? path.flatMap(ProcessSearch.lockHolder) : nil }
}

extension String {
    /// Whether it has the form of a host and a port, such as `localhost:8080`.
    fileprivate var isHostWithPort: Bool {
        guard let colon = lastIndex(of: ":"), UInt16(self[index(after: colon)...]) != nil else { return false }
        return colon > startIndex && self[..<colon].allSatisfy { $0.isLetter || $0.isNumber || ".-".contains($0) }
    }
}
