// SPDX-License-Identifier: Apache-2.0

// Model files named on the command line.

import Arguments
import Files
import ObjectModel
import Predicates
import SQLiteStore
import SourceText

extension ModelVersion {
    /// The errors for parts of the version that couldn't be read.
    var readingErrors: [ModelIssue] { issues.filter { $0.severity == .error } }
}

enum ModelFiles {
    static let completion = Completion.file(
        ["xcdatamodeld", "xcdatamodel", "json", "momd", "mom", "sqlite", "sqlite3", "db"]
    )

    /// The path that means the standard output.
    static let standardOutput = "-"

    static func read(_ path: String) throws -> ModelFile {
        try naming(path) { () throws(ModelError) in try file(path) }
    }

    /// The model at a path, or the one that the store at the path carries.
    static func file(_ path: String) throws(ModelError) -> ModelFile {
        guard (try? StoreFiles.kind(ofFile: path)) == .sqlite else { return try ModelFile.read(path: path) }
        let place = ModelIssue.Place(file: path)
        do {
            let model = try SQLiteStore.embeddedModel(path: path)
            return ModelFile(versions: [ModelVersion(name: stem(of: path), model: model)])
        } catch let error as StoreError {
            throw ModelError(.notAModel, at: place, error.message, hint: error.hint)
        } catch {
            throw ModelError(.notAModel, at: place, "\(error)")
        }
    }

    /// The current version of a model. Throws unless it was read completely.
    static func readComplete(_ path: String) throws -> ModelVersion {
        let version = try read(path).current
        try requireComplete(version, at: path)
        return version
    }

    /// All versions of a model, from the oldest to the newest: those of the bundle if a path names a version in one.
    static func versions(around path: String) throws -> [ModelVersion] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let bundle = segments.firstIndex(where: { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".momd") }) else {
            return try read(path).versions
        }
        return try read(segments[...bundle].joined(separator: "/")).versions
    }

    /// The rules in a mapping file, or in a mapping model of Xcode.
    static func mappingRules(_ path: String) throws -> MappingRules {
        let isFolder = path.hasSuffix(".xcmappingmodel") || path.hasSuffix(".xcmappingmodel/")
        let file = isFolder ? path + "/xcmapping.xml" : path
        let bytes: [UInt8]
        do throws(FileError) {
            let open = try OpenFile(reading: file)
            bytes = try open.read(at: 0, count: open.size)
        } catch {
            throw Failure("The mapping can't be read: \(error.reason).", code: nil, file: file)
        }
        return try naming(file) { () throws(ModelError) in
            file.hasSuffix(".xml")
                ? try MappingRules(mappingModel: bytes, file: file) : try MappingRules(json: bytes, file: file)
        }
    }

    static func requireComplete(_ version: ModelVersion, at path: String) throws(Failure) {
        try refuse(version.readingErrors, "\(path) can't be read completely, so it can't be compared.")
    }

    /// The name of a model's file or bundle without its extension; for a version in a bundle, that of the bundle.
    static func stem(of path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
        let file =
            parts.last { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".momd") } ?? parts.last { $0 != "contents" }
            ?? ""
        return file.split(separator: ".").first.map(String.init) ?? ""
    }

    static func refuse(_ issues: [ModelIssue], _ message: String) throws(Failure) {
        guard issues.isEmpty else { throw Failure(message, issues: issues) }
    }

    static func write(_ file: ModelFile, to path: String, as format: ModelFile.Format?) throws {
        try naming(path) { () throws(ModelError) in try file.write(path: path, as: format) }
    }

    static func write(svg: String, to path: String) throws {
        try naming(path) { () throws(ModelError) in try ModelFileSystem.write(svg: svg, to: path) }
    }

    static func entity(named name: String, in version: ModelVersion, at path: String) throws -> Entity {
        if let entity = version.model.entity(named: name) { return entity }
        let hint = version.model.hint(forEntity: name)
        throw Failure("\(path) has no entity “\(name)”.", hint: hint, issues: version.readingErrors)
    }

    /// Runs a step, and adds the file's path to its errors.
    static func naming<Result>(_ path: String, _ work: () throws(ModelError) -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            var issue = error.issue
            if !path.isEmpty { issue.place.file = issue.place.file ?? path }
            throw Failure(issue)
        }
    }
}

extension Model {
    /// A hint for an unknown entity name: an entity's former name, its name in the API, or a similar name.
    fileprivate func hint(forEntity name: String) -> String? {
        if let renamed = entities.first(where: { $0.renamingIdentifier == name }) {
            return "It is named “\(renamed.name)” now."
        }
        if let served = entities.first(where: { $0.userInfo["path"] == name }) {
            return "That is the name of “\(served.name)” in paths of the API."
        }
        return Spelling.hint(for: name, among: entities.map(\.name))
    }
}
