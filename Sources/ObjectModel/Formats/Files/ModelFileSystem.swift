// SPDX-License-Identifier: Apache-2.0

// File operations for models, with errors for users.

import FoundationEssentials
import XML

package enum ModelFileSystem {
    package enum Entry {
        case file
        case directory
        case other
    }

    /// The kind of the file at a path, following symbolic links, or nil.
    static func entry(at path: String) -> Entry? {
        (try? visibleEntry(at: path)) ?? nil
    }

    /// Like `entry(at:)`, but throws if a lack of permission hides the answer.
    package static func visibleEntry(at path: String) throws(ModelError) -> Entry? {
        do {
            let type = try FileManager.default.attributesOfItem(atPath: target(of: path))[.type] as? FileAttributeType
            return switch type {
            case .typeDirectory: .directory
            case .typeRegular: .file
            default: .other
            }
        } catch {
            if (error as? CocoaError)?.code == .fileReadNoPermission {
                throw .fileSystem("The file can't be read", error, path)
            }
            return nil
        }
    }

    /// The path with symbolic links resolved, even if nothing exists there yet.
    static func target(of path: String) -> String {
        var path = path
        // The system's own limit, which also ends cycles of links.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = next.hasPrefix("/") ? next : "\(path.parentPath)/\(next)"
        }
        return path
    }

    /// The names in a directory, in natural order.
    package static func names(in path: String) throws(ModelError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted { $0.naturallyPrecedes($1) }
        } catch {
            throw .fileSystem("The directory can't be read", error, path)
        }
    }

    package static func bytes(of path: String) throws(ModelError) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw .fileSystem("The file can't be read", error, path)
        }
    }

    /// Writes a picture to a file atomically. An existing file that is not a picture is not overwritten.
    package static func write(svg: String, to path: String) throws(ModelError) {
        guard !path.isEmpty else { throw .emptyPath }
        if entry(at: path) == .file {
            let old = try bytes(of: path)
            guard old.isEmpty || (try? XMLElement(parsing: old))?.name == "svg" else {
                throw ModelError(
                    .wouldOverwrite,
                    at: ModelIssue.Place(file: path),
                    "The existing file isn't an SVG picture, and is not overwritten.",
                    hint: "Remove it, or write to another path."
                )
            }
        }
        try write(Array(svg.utf8), to: path)
    }

    /// Writes bytes to a file atomically.
    package static func write(_ bytes: [UInt8], to path: String) throws(ModelError) {
        // Links and devices are written through; replacing them by a file would remove them.
        let target = target(of: path)
        do {
            try Data(bytes).write(to: URL(filePath: target), options: entry(at: target) == .other ? [] : .atomic)
        } catch {
            throw .fileSystem("The file can't be written", error, path)
        }
    }
}

extension String {
    /// The last component of a path, such as `Model.xcdatamodeld`.
    var lastPathPart: String {
        String(split(separator: "/").last ?? "")
    }

    /// The directory of a path's last component.
    var parentPath: String {
        let parts = split(separator: "/", omittingEmptySubsequences: true).dropLast()
        return (first == "/" ? "/" : "") + (parts.isEmpty && first != "/" ? "." : parts.joined(separator: "/"))
    }

    /// The text after the last dot of the last component.
    var pathExtension: String {
        let parts = lastPathPart.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[parts.count - 1]) : ""
    }

    /// The last component without its extension.
    var pathStem: String {
        let ending = pathExtension
        return ending.isEmpty ? lastPathPart : String(lastPathPart.dropLast(ending.count + 1))
    }
}

extension ModelError {
    package static func fileSystem(_ message: String, _ error: any Error, _ path: String) -> ModelError {
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

    /// The reason why a file can't be written at a path.
    private static func obstacle(at path: String) -> String {
        switch (ModelFileSystem.entry(at: path.parentPath), ModelFileSystem.entry(at: path)) {
        case (nil, _): "the folder “\(path.parentPath)” doesn't exist"
        case (.file, _), (.other, _): "“\(path.parentPath)” isn't a folder"
        case (.directory, .directory): "it is a folder"
        case (.directory, _): "the system denies it"
        }
    }

    package static var emptyPath: ModelError {
        ModelError(.notFound, at: ModelIssue.Place(), "The path is empty, so it names no file.")
    }
}
