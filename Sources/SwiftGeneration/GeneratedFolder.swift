// SPDX-License-Identifier: Apache-2.0

// Puts generated files into a folder, beside those that are somebody's own.

import FoundationEssentials
public import ObjectModel

/// What became of the files of a folder that Swift was generated into.
///
/// 1. Only files that bear the mark are ever overwritten or removed.
/// 2. Nothing is written before it is known that nothing else is in the way.
/// 3. A file that has its text already is left as it is.
public struct GeneratedFolder: Hashable, Sendable {
    /// Written anew.
    public private(set) var written: [String] = []
    /// Written once, and somebody's own from now on.
    public private(set) var created: [String] = []
    /// Those that are as they would have been written, and those that are somebody's own.
    public private(set) var kept: [String] = []
    /// Those with the mark that stand for nothing in the model any more.
    public private(set) var stale: [String] = []

    /// Writes the files.
    ///
    /// - Parameter removingStale: Whether files that stand for nothing any more go away.
    public init(
        writing generation: SwiftGeneration,
        to path: String,
        removingStale: Bool = false
    ) throws(ModelError) {
        guard !path.isEmpty else { throw .emptyPath }
        var pending: [GeneratedFile] = []
        let folder = try FileSystem.visibleEntry(at: path)
        guard folder == nil || folder == .directory else { throw .noFolder(path) }
        for file in generation.files {
            if folder != nil, try Self.isAsItShallBe(file, in: path) {
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
                throw .fileSystem("The folder can't be made", error, path)
            }
        }
        for file in pending {
            try FileSystem.write(Array(file.text.utf8), to: "\(path)/\(file.name)")
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

    /// Whether a file is there and needn't be written; an error if something else is in its place.
    private static func isAsItShallBe(_ file: GeneratedFile, in folder: String) throws(ModelError) -> Bool {
        let path = "\(folder)/\(file.name)"
        guard let entry = try FileSystem.visibleEntry(at: path) else { return false }
        if file.isHandOwned { return true }
        guard entry == .file else { throw .notGenerated(path) }
        let old = try FileSystem.bytes(of: path)
        guard bearsMark(old) else { throw .notGenerated(path) }
        return old.elementsEqual(file.text.utf8)
    }

    private static func staleNames(in folder: String, besides files: [GeneratedFile]) throws(ModelError) -> [String] {
        let current = Set(files.map(\.name))
        var stale: [String] = []
        for name in try FileSystem.names(in: folder) where name.hasSuffix(GeneratedFile.ending) {
            let path = "\(folder)/\(name)"
            guard !current.contains(name), try FileSystem.visibleEntry(at: path) == .file else { continue }
            if bearsMark(try FileSystem.bytes(of: path)) { stale.append(name) }
        }
        return stale
    }

    private static func bearsMark(_ bytes: [UInt8]) -> Bool { bytes.starts(with: (GeneratedFile.mark + "\n").utf8) }
}

extension ModelError {
    fileprivate static func noFolder(_ path: String) -> ModelError {
        ModelError(.fileSystem, at: ModelIssue.Place(file: path), "What is there is no folder.")
    }

    fileprivate static func notGenerated(_ path: String) -> ModelError {
        ModelError(
            .wouldOverwrite,
            at: ModelIssue.Place(file: path),
            "What is there was not generated, and is not overwritten.",
            hint: "Give it another name, or write to another folder."
        )
    }
}
