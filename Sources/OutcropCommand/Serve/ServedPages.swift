// SPDX-License-Identifier: Apache-2.0

// The folder of pages that is served beside the API.

import Files
import FoundationEssentials
import Identities
import RESTAPI
import SQLiteStore

extension ServeSettings {
    /// The configured folder, or the first default folder with a page, or nil.
    ///
    /// - Parameter hidden: Further files that aren't served if they are in the folder.
    func pages(hiding hidden: [String] = []) throws -> PublicFolder? {
        guard let path = publicFolder ?? Self.defaultFolders.first(where: Self.hasPage) else { return nil }
        do throws(FileError) {
            return try PublicFolder(path, hiding: storeFiles + hidden)
        } catch {
            throw Failure("The folder of pages can't be opened: \(error.reason).", code: nil, file: path)
        }
    }

    /// The files of all stores and their keys.
    private var storeFiles: [String] {
        storeChoices.flatMap { choice -> [String] in
            switch choice.place {
            case .memory: []
            case .file(.sqlite, let path): SQLiteStore.filesOfStore(at: path) + Self.secretFiles(besides: path)
            case .file(_, let path): [path] + Self.secretFiles(besides: path)
            }
        }
    }

    /// The files of keys and sessions.
    private static func secretFiles(besides store: String) -> [String] {
        KeyFile(besides: store).files + AccountKey.files(besides: store) + SessionFile(besides: store).files
    }

    /// Beside the program, in the folder of a package, and in the working directory, such as a checkout.
    private static var defaultFolders: [String] {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = program.map { URL(filePath: $0).deletingLastPathComponent().path }
        return (folder.map { ["\($0)/Console", "\($0)/../share/outcrop/Console"] } ?? []) + ["Console"]
    }

    private static func hasPage(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/index.html")
    }
}
