// SPDX-License-Identifier: Apache-2.0

// Writes a model to a path, in the format that the path's extension names.

import XML

extension ModelFile {
    /// The formats in which a model is written; each is named by its extension.
    public enum Format: String, CaseIterable, Sendable {
        case json, xcdatamodel, xcdatamodeld
    }

    /// Writes an `.xcdatamodeld`, an `.xcdatamodel` or a `.json` file, in place of a model that is there already.
    ///
    /// What is there and is no model is left alone, with an error.
    ///
    /// - Parameter format: What to write, where the path's extension shall not say.
    public func write(path: String, as format: Format? = nil) throws(ModelError) {
        guard !path.isEmpty else { throw .emptyPath }
        let path = path.count > 1 && path.last == "/" ? String(path.dropLast()) : path
        guard let format = format ?? Format(rawValue: path.pathExtension) else {
            throw ModelError(
                .unwritable,
                at: ModelIssue.Place(file: path),
                "The extension is none of a model's.",
                hint: "Name a file that ends in .xcdatamodeld, .xcdatamodel or .json."
            )
        }
        let tree = try fileTree(for: path, as: format)
        try Self.checkReplaceable(path, by: format)
        try tree.replace(path)
    }

    private func fileTree(for path: String, as format: Format) throws(ModelError) -> FileTree {
        switch format {
        case .xcdatamodeld: return try bundle()
        case .xcdatamodel:
            guard versions.count == 1 else {
                throw ModelError(
                    .unwritable,
                    at: ModelIssue.Place(file: path),
                    "An .xcdatamodel holds one version, and there are \(versions.count).",
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
            entries[CurrentVersionNote.fileName] = .file(try CurrentVersionNote.written(current.name + ".xcdatamodel"))
        } catch {
            throw .unwritable("A version can't have the name “\(current.name)” in a bundle: \(error.message)")
        }
        return .directory(entries)
    }

    private static func checkReplaceable(_ path: String, by format: Format) throws(ModelError) {
        guard let entry = FileSystem.entry(at: path) else { return }
        var isModel = (entry == .directory) == (format != .json) && (try? read(path: path)) != nil
        if entry == .directory, isModel {
            let names = try FileSystem.names(in: path)
            isModel = names.allSatisfy {
                $0.first == "." || $0.pathExtension == "xcdatamodel" || ["contents", "elements", "layout"].contains($0)
            }
        }
        guard isModel else {
            throw ModelError(
                .wouldOverwrite,
                at: ModelIssue.Place(file: path),
                "What is there is no model that can be read, or holds more than one, and is not overwritten.",
                hint: "Remove it, or write to another path."
            )
        }
    }
}

extension String {
    fileprivate var canNameFile: Bool {
        !isEmpty && utf8.first != UInt8(ascii: ".") && !utf8.contains(UInt8(ascii: "/")) && !utf8.contains(0)
            && utf8.count <= 200
    }
}
