// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import ObjectModel

/// Writes generated files to a folder and records the effect on each.
///
/// 1. Only files with the mark are overwritten or removed.
/// 2. Nothing is written if any other file is in the way.
/// 3. A file that is up to date is not touched.
package struct GeneratedFolder: Hashable, Sendable {
    /// Files that were generated again.
    package private(set) var written: [String] = []
    /// Hand-owned files that were created.
    package private(set) var created: [String] = []
    /// Files that were up to date, and existing hand-owned files.
    package private(set) var kept: [String] = []
    /// Files with the mark that no longer correspond to a part of the model.
    package private(set) var stale: [String] = []

    /// Writes the files.
    ///
    /// - Parameter removingStale: Whether stale files are removed.
    package init(
        writing generation: SwiftGeneration,
        to path: String,
        removingStale: Bool = false
    ) throws(ModelError) {
        guard !path.isEmpty else { throw .emptyPath }
        var pending: [GeneratedFile] = []
        let folder = try ModelFileSystem.visibleEntry(at: path)
        guard folder == nil || folder == .directory else { throw .noFolder(path) }
        for file in generation.files {
            if folder != nil, try Self.isUpToDate(file, in: path) {
                kept.append(file.name)
            } else {
                pending.append(file)
            }
        }
        if folder != nil { stale = try Self.staleNames(in: path, besides: generation.files) }
        if folder == nil {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            } catch {
                throw .fileSystem("The folder can't be created", error, path)
            }
        }
        for file in pending {
            try ModelFileSystem.write(Array(file.text.utf8), to: "\(path)/\(file.name)")
            if file.isHandOwned { created.append(file.name) } else { written.append(file.name) }
        }
        guard removingStale else { return }
        for name in stale {
            do {
                try FileManager.default.removeItem(atPath: "\(path)/\(name)")
            } catch {
                throw .fileSystem("The file can't be removed", error, "\(path)/\(name)")
            }
        }
    }

    /// Whether a file exists and needn't be written. Throws if another file is in its place.
    private static func isUpToDate(_ file: GeneratedFile, in folder: String) throws(ModelError) -> Bool {
        let path = "\(folder)/\(file.name)"
        guard let entry = try ModelFileSystem.visibleEntry(at: path) else { return false }
        if file.isHandOwned { return true }
        guard entry == .file else { throw .notGenerated(path) }
        let old = try ModelFileSystem.bytes(of: path)
        guard hasMark(old) else { throw .notGenerated(path) }
        return old.elementsEqual(file.text.utf8)
    }

    private static func staleNames(in folder: String, besides files: [GeneratedFile]) throws(ModelError) -> [String] {
        let current = Set(files.map(\.name))
        var stale: [String] = []
        for name in try ModelFileSystem.names(in: folder) where name.hasSuffix(GeneratedFile.ending) {
            let path = "\(folder)/\(name)"
            guard !current.contains(name), try ModelFileSystem.visibleEntry(at: path) == .file else { continue }
            if hasMark(try ModelFileSystem.bytes(of: path)) { stale.append(name) }
        }
        return stale
    }

    private static func hasMark(_ bytes: [UInt8]) -> Bool { bytes.starts(with: (GeneratedFile.mark + "\n").utf8) }
}

extension ModelError {
    fileprivate static func noFolder(_ path: String) -> ModelError {
        ModelError(.fileSystem, at: ModelIssue.Place(file: path), "The path is not a folder.")
    }

    fileprivate static func notGenerated(_ path: String) -> ModelError {
        ModelError(
            .wouldOverwrite,
            at: ModelIssue.Place(file: path),
            "The existing file was not generated, and is not overwritten.",
            hint: "Give it another name, or write to another folder."
        )
    }
}
