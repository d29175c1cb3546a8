// SPDX-License-Identifier: Apache-2.0

// What `outcrop serve PATH` serves.

import Arguments
import Files
import FoundationEssentials
import ObjectModel
import SourceText

/// A model, or a store as `--store` takes it.
enum ServeSubject: Equatable {
    case model(String)
    case store(String)

    /// Determines by the content of a file, or else by its name, which of the two it is.
    init(_ text: String) throws {
        let choice: StoreChoice
        do throws(InvalidArgument) {
            choice = try StoreChoice(text)
        } catch {
            throw Failure("“\(text)” isn't a store: \(error.reason)".asSentenceEnd, status: .usage)
        }
        guard case .file(_, let path) = choice.place, path == text else {
            // It has a kind of store, or is in memory.
            self = .store(text)
            return
        }
        var isFolder = false
        let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
        if isFolder {
            self = try Self.folder(text)
        } else if exists, FileSystem.isFile(text), let kind = try StoreFiles.kind(ofFile: text) {
            self = .store(kind == .sqlite ? text : "\(kind.rawValue):\(text)")
        } else if StoreKind(extensionOf: text) != nil {
            self = .store(text)
        } else {
            self = .model(text)
        }
    }

    private static func folder(_ path: String) throws -> ServeSubject {
        let bundle = path.hasSuffix("/") ? String(path.dropLast()) : path
        if [".xcdatamodeld", ".xcdatamodel", ".momd"].contains(where: bundle.hasSuffix) { return .model(bundle) }
        throw Failure(
            "This is a folder, neither a model nor a store.",
            hint: FileSystem.isFile(bundle + "/" + SettingsReader.defaultFile)
                ? "It has a \(SettingsReader.defaultFile): run “outcrop serve” in it."
                : "Give a file in it, or begin a server there: outcrop init \(bundle)",
            status: .usage,
            code: nil,
            file: path
        )
    }
}
