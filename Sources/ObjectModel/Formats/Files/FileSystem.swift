// SPDX-License-Identifier: Apache-2.0

// The little that models need of the file system, with its errors in our words.

import FoundationEssentials

package enum FileSystem {
    enum Entry {
        case file
        case directory
        case other
    }

    /// What is at a path, with symbolic links followed; nil if nothing is.
    static func entry(at path: String) -> Entry? {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: target) else { return nil }
        return switch attributes[.type] as? FileAttributeType {
        case .typeDirectory: .directory
        case .typeRegular: .file
        default: .other
        }
    }

    /// The names of what is in a directory, in natural order.
    static func names(in path: String) throws(ModelError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted { $0.comesNaturallyBefore($1) }
        } catch {
            throw .fileSystem("The directory can't be read", error, path)
        }
    }

    static func bytes(of path: String) throws(ModelError) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw .fileSystem("The file can't be read", error, path)
        }
    }

    /// Puts bytes into a file, whole or not at all.
    package static func write(_ bytes: [UInt8], to path: String) throws(ModelError) {
        guard !path.isEmpty else { throw .emptyPath }
        // A link or a device is written through; to put a file in its place would take it away.
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        do {
            try Data(bytes).write(to: URL(filePath: path), options: [nil, .typeRegular].contains(type) ? .atomic : [])
        } catch {
            throw .fileSystem("The file can't be written", error, path)
        }
    }
}

/// Files and directories that are to be written together.
indirect enum FileTree: Hashable, Sendable {
    case file([UInt8])
    case directory([String: FileTree])

    /// Puts the tree in the place of what is at a path. It is written beside it first, so that an error on the way leaves
    /// the old one as it was.
    func replace(_ path: String) throws(ModelError) {
        let parent = path.parentPath
        let name = path.lastPathPart
        let suffix = UUID().uuidString
        let new = "\(parent)/.\(name).new-\(suffix)"
        let old = "\(parent)/.\(name).old-\(suffix)"
        let manager = FileManager.default
        do {
            try write(to: new)
            let exists = FileSystem.entry(at: path) != nil
            if exists { try manager.moveItem(atPath: path, toPath: old) }
            do {
                try manager.moveItem(atPath: new, toPath: path)
            } catch {
                if exists { try manager.moveItem(atPath: old, toPath: path) }
                throw error
            }
            if exists { try manager.removeItem(atPath: old) }
        } catch {
            try? manager.removeItem(atPath: new)
            throw .fileSystem("The model can't be written", error, path)
        }
    }

    private func write(to path: String) throws {
        switch self {
        case .file(let bytes): try Data(bytes).write(to: URL(filePath: path))
        case .directory(let entries):
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            for (name, tree) in entries { try tree.write(to: "\(path)/\(name)") }
        }
    }
}

extension String {
    /// The last part of a path, such as `Model.xcdatamodeld`.
    var lastPathPart: String {
        String(split(separator: "/").last ?? "")
    }

    /// The directory that a path's last part is in.
    var parentPath: String {
        let parts = split(separator: "/", omittingEmptySubsequences: true).dropLast()
        return (first == "/" ? "/" : "") + (parts.isEmpty && first != "/" ? "." : parts.joined(separator: "/"))
    }

    /// The text after the last point of a path's last part.
    var pathExtension: String {
        let parts = lastPathPart.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[parts.count - 1]) : ""
    }

    /// The last part of a path without its extension.
    var pathStem: String {
        let ending = pathExtension
        return ending.isEmpty ? lastPathPart : String(lastPathPart.dropLast(ending.count + 1))
    }
}

extension ModelError {
    static func fileSystem(_ message: String, _ error: any Error, _ path: String) -> ModelError {
        let reason =
            switch (error as? CocoaError)?.code {
            case .fileReadNoPermission, .fileWriteNoPermission: "permission is denied"
            case .fileReadInvalidFileName, .fileWriteInvalidFileName: "its name is too long"
            case .fileWriteOutOfSpace: "the disk is full"
            case .fileWriteVolumeReadOnly: "the disk is read-only"
            default: obstacle(at: path)
            }
        return ModelError(.fileSystem, at: ModelIssue.Place(file: path), "\(message): \(reason).")
    }

    /// What is in the way of a file, by what is there instead.
    private static func obstacle(at path: String) -> String {
        switch (FileSystem.entry(at: path.parentPath), FileSystem.entry(at: path)) {
        case (nil, _): "the folder “\(path.parentPath)” doesn't exist"
        case (.file, _), (.other, _): "“\(path.parentPath)” is no folder"
        case (.directory, .directory): "it is a folder"
        case (.directory, _): "the system refuses it"
        }
    }

    static var emptyPath: ModelError {
        ModelError(.notFound, at: ModelIssue.Place(), "The path is empty, so it names no file.")
    }
}
