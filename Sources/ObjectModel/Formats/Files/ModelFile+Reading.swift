// SPDX-License-Identifier: Apache-2.0

// Reads a model from a path in any supported format.

import PropertyList
import SourceText

extension ModelFile {
    /// Reads an `.xcdatamodeld` with all its versions, an `.xcdatamodel`, its `contents` file, a JSON file, a compiled
    /// `.momd` with all its versions, or a `.mom`.
    ///
    /// Throws if there is no model at the path. A version that can't be read is included as an empty model with an
    /// error among its issues.
    public static func read(path: String) throws(ModelError) -> ModelFile {
        guard !path.isEmpty else { throw .emptyPath }
        let path = path.count > 1 && path.last == "/" ? String(path.dropLast()) : path
        switch try ModelFileSystem.visibleEntry(at: path) {
        case .directory: return try read(directory: path)
        case .file: return try read(file: path)
        case .other: throw .notAModel(path, "This is neither a file nor a directory.")
        case nil:
            let candidates = ["xcdatamodeld", "xcdatamodel", "json", "momd", "mom"].map { "\(path).\($0)" }
            throw ModelError(
                .notFound,
                at: ModelIssue.Place(file: path),
                "The file or directory doesn't exist.",
                hint: candidates.first { ModelFileSystem.entry(at: $0) != nil }.map { "Did you mean “\($0)”?" }
            )
        }
    }

    private static func read(directory path: String) throws(ModelError) -> ModelFile {
        let names = try ModelFileSystem.names(in: path)
        let versionNames = names.filter { $0.pathExtension == "xcdatamodel" }
        if path.pathExtension == "xcdatamodeld" || !versionNames.isEmpty {
            return try read(bundle: path, versionNames, note: CurrentVersionFile.source)
        }
        if path.pathExtension == "xcdatamodel" || names.contains("contents") {
            return ModelFile(versions: [try version(at: path)])
        }
        let compiledNames = names.filter { $0.pathExtension == "mom" }
        if path.pathExtension == "momd" || !compiledNames.isEmpty {
            return try read(bundle: path, compiledNames, note: CurrentVersionFile.compiled)
        }
        let hint = names.first { ["xcdatamodeld", "json", "momd"].contains($0.pathExtension) }
        throw .notAModel(
            path,
            "This directory isn't a model.",
            hint: hint.map { "Give the model in it, such as “\(path)/\($0)”." }
        )
    }

    private static func read(
        bundle path: String,
        _ names: [String],
        note: CurrentVersionFile
    ) throws(ModelError) -> ModelFile {
        let place = ModelIssue.Place(file: path)
        guard !names.isEmpty else {
            throw ModelError(.noVersion, at: place, "The bundle is empty: it has no .\(note.versionExtension).")
        }
        var versions: [ModelVersion] = []
        for name in names {
            do {
                versions.append(try version(at: "\(path)/\(name)"))
            } catch {
                versions.append(ModelVersion(name: name.pathStem, model: Model(), issues: [error.issue]))
            }
        }
        let notePath = "\(path)/\(note.fileName)"
        var current: String?
        var notePlace = place
        if ModelFileSystem.entry(at: notePath) != nil {
            notePlace.file = notePath
            current = try currentVersion(in: notePath, note)
        }
        return try ModelFile(versions: versions, current: current, at: notePlace)
    }

    private static func currentVersion(in path: String, _ note: CurrentVersionFile) throws(ModelError) -> String? {
        let bytes = try ModelFileSystem.bytes(of: path)
        do {
            return try note.version(in: bytes)
        } catch {
            let place = ModelIssue.Place(file: path, line: error.position?.line, column: error.position?.column)
            throw ModelError(
                .syntax,
                at: place,
                "The record of the current version can't be read: \(error.message)",
                hint: "Remove it, or write it again in Xcode."
            )
        }
    }

    private static func version(at path: String) throws(ModelError) -> ModelVersion {
        if path.pathExtension == "mom" {
            return try ModelVersion(compiled: ModelFileSystem.bytes(of: path), name: path.pathStem, file: path)
        }
        let contents = "\(path)/contents"
        if try ModelFileSystem.visibleEntry(at: contents) == .file {
            return try ModelVersion(contents: ModelFileSystem.bytes(of: contents), name: path.pathStem, file: contents)
        }
        if ModelFileSystem.entry(at: "\(path)/elements") == .file {
            throw .notAModel(
                path,
                "The version is in the binary format of Xcode 3, which isn't supported.",
                hint: "Open it in Xcode 4 or newer and save it."
            )
        }
        throw .notAModel(path, "The version is empty: it has no file “contents”.")
    }

    private static func read(file path: String) throws(ModelError) -> ModelFile {
        let bytes = try ModelFileSystem.bytes(of: path)
        if path.pathExtension == "mom" || bytes.starts(with: "bplist".utf8) {
            return ModelFile(versions: [try ModelVersion(compiled: bytes, name: path.pathStem, file: path)])
        }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let first = bytes.dropFirst(bytes.starts(with: byteOrderMark) ? 3 : 0).first { $0 > 0x20 }
        if first == UInt8(ascii: "<") {
            let isInVersion = path.lastPathPart == "contents" && path.parentPath.pathExtension == "xcdatamodel"
            let name = isInVersion ? path.parentPath.pathStem : path.pathStem
            return ModelFile(versions: [try ModelVersion(contents: bytes, name: name, file: path)])
        }
        if first == UInt8(ascii: "{") || path.pathExtension == "json" {
            return try ModelFile(json: bytes, name: path.pathStem, file: path)
        }
        throw .notAModel(path, "This file isn't a model: neither XML, nor JSON, nor compiled.")
    }
}

extension ModelError {
    static func notAModel(_ path: String, _ message: String, hint: String? = nil) -> ModelError {
        ModelError(.notAModel, at: ModelIssue.Place(file: path), message, hint: hint)
    }
}
