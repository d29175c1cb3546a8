// SPDX-License-Identifier: Apache-2.0

import PropertyList

extension ModelFile {
    /// The formats in which a model can be written, named by their file extensions.
    public enum Format: String, CaseIterable, Sendable {
        case json, xcdatamodel, xcdatamodeld
    }

    /// Writes an `.xcdatamodeld`, an `.xcdatamodel` or a `.json` file, replacing an older version of the model.
    ///
    /// Throws if the path has something other than a model. Unrelated files in the model's folder, such as `.git`, are
    /// kept.
    ///
    /// - Parameter format: The format, if it shouldn't be derived from the path's extension.
    public func write(path: String, as format: Format? = nil) throws(ModelError) {
        guard !path.isEmpty else { throw .emptyPath }
        let path = path.count > 1 && path.last == "/" ? String(path.dropLast()) : path
        guard let format = format ?? Format(rawValue: path.pathExtension) else {
            throw ModelError(
                .unwritable,
                at: ModelIssue.Place(file: path),
                "The extension isn't that of a model.",
                hint: "Use .xcdatamodeld, .xcdatamodel or .json."
            )
        }
        let tree = try fileTree(for: path, as: format)
        try Self.checkReplaceable(path, by: tree)
        try tree.replace(path, removing: Self.isPartOfModel)
    }

    private func fileTree(for path: String, as format: Format) throws(ModelError) -> FileTree {
        switch format {
        case .xcdatamodeld: return try bundle()
        case .xcdatamodel:
            guard versions.count == 1 else {
                throw ModelError(
                    .unwritable,
                    at: ModelIssue.Place(file: path),
                    "An .xcdatamodel can have only one version, but there are \(versions.count).",
                    hint: "Write an .xcdatamodeld."
                )
            }
            return .directory(["contents": .file(try current.model.contents())])
        case .json: return .file(try json(name: path.pathStem))
        }
    }

    private func bundle() throws(ModelError) -> FileTree {
        var entries: [String: FileTree] = [:]
        for version in versions {
            guard version.name.canNameFile else {
                throw .unwritable("A version can't have the name “\(version.name)” in a bundle.")
            }
            let name = version.name + ".xcdatamodel"
            guard entries[name] == nil else { throw .unwritable("Two versions have the name “\(version.name)”.") }
            entries[name] = .directory(["contents": .file(try version.model.contents())])
        }
        do {
            entries[CurrentVersionFile.source.fileName] = .file(try CurrentVersionFile.written(current.name))
        } catch {
            throw .unwritable("A version can't have the name “\(current.name)” in a bundle: \(error.message)")
        }
        return .directory(entries)
    }

    private static func checkReplaceable(_ path: String, by tree: FileTree) throws(ModelError) {
        guard let entry = try ModelFileSystem.visibleEntry(at: path) else { return }
        var isModel = (try? read(path: path)) != nil
        switch tree {
        case .file: isModel = isModel && entry == .file
        case .directory(let entries):
            isModel = isModel && entry == .directory
            if isModel { isModel = try holdsModelAlone(path, besides: entries) }
        }
        guard isModel else {
            throw ModelError(
                .wouldOverwrite,
                at: ModelIssue.Place(file: path),
                "The existing file isn't a readable model with one version, and is not overwritten.",
                hint: "Remove it, or write to another path."
            )
        }
    }

    /// Whether replacing a model's folder removes nothing but the model. Hidden files and the entries of the new
    /// version are kept.
    private static func holdsModelAlone(_ path: String, besides entries: [String: FileTree]) throws(ModelError) -> Bool
    {
        for name in try ModelFileSystem.names(in: path) {
            guard isPartOfModel(name) else {
                if name.first == "." { continue }
                return false
            }
            guard entries[name] == nil, name.pathExtension == "xcdatamodel" else { continue }
            let others = try ModelFileSystem.names(in: "\(path)/\(name)").filter { !isPartOfModel("\(name)/\($0)") }
            guard others.allSatisfy({ $0 == ".DS_Store" }) else { return false }
        }
        return true
    }

    /// Whether a path in a model's folder belongs to the model.
    private static func isPartOfModel(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        if parts.count == 1, path == CurrentVersionFile.source.fileName || path.pathExtension == "xcdatamodel" {
            return true
        }
        let isInVersion = parts.count == 1 || parts.count == 2 && String(parts[0]).pathExtension == "xcdatamodel"
        return isInVersion && ["contents", "elements", "layout"].contains(path.lastPathPart)
    }
}

extension String {
    fileprivate var canNameFile: Bool {
        !isEmpty && utf8.first != UInt8(ascii: ".") && !utf8.contains(UInt8(ascii: "/")) && !utf8.contains(0)
            && utf8.count <= 200
    }
}
