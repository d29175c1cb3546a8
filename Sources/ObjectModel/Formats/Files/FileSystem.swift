// SPDX-License-Identifier: Apache-2.0

// The little that models need of the file system, with its errors in our words.

import FoundationEssentials
import XML

package enum FileSystem {
    package enum Entry {
        case file
        case directory
        case other
    }

    /// What is at a path, with symbolic links followed; nil if nothing is.
    static func entry(at path: String) -> Entry? {
        (try? visibleEntry(at: path)) ?? nil
    }

    /// The same, but with an error where it can't be told, since the way there may not be gone.
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

    /// Where a path leads by symbolic links, even if nothing is there yet.
    static func target(of path: String) -> String {
        var path = path
        // As many as the system follows itself; a ring of links ends there.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = next.hasPrefix("/") ? next : "\(path.parentPath)/\(next)"
        }
        return path
    }

    /// The names of what is in a directory, in natural order.
    package static func names(in path: String) throws(ModelError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted { $0.comesNaturallyBefore($1) }
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

    /// Puts a picture into a file, whole or not at all. What is there already and is no picture is left alone.
    package static func write(svg: String, to path: String) throws(ModelError) {
        guard !path.isEmpty else { throw .emptyPath }
        if entry(at: path) == .file {
            let old = try bytes(of: path)
            guard old.isEmpty || (try? XMLElement(parsing: old))?.name == "svg" else {
                throw ModelError(
                    .wouldOverwrite,
                    at: ModelIssue.Place(file: path),
                    "What is there is no picture in SVG, and is not overwritten.",
                    hint: "Remove it, or write to another path."
                )
            }
        }
        try write(Array(svg.utf8), to: path)
    }

    /// Puts bytes into a file, whole or not at all.
    package static func write(_ bytes: [UInt8], to path: String) throws(ModelError) {
        // A link or a device is written through; to put a file in its place would take it away.
        let target = target(of: path)
        do {
            try Data(bytes).write(to: URL(filePath: target), options: entry(at: target) == .other ? [] : .atomic)
        } catch {
            throw .fileSystem("The file can't be written", error, path)
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

    /// What is in the way of a file, by what is there instead.
    private static func obstacle(at path: String) -> String {
        switch (FileSystem.entry(at: path.parentPath), FileSystem.entry(at: path)) {
        case (nil, _): "the folder “\(path.parentPath)” doesn't exist"
        case (.file, _), (.other, _): "“\(path.parentPath)” is no folder"
        case (.directory, .directory): "it is a folder"
        case (.directory, _): "the system refuses it"
        }
    }

    package static var emptyPath: ModelError {
        ModelError(.notFound, at: ModelIssue.Place(), "The path is empty, so it names no file.")
    }
}
