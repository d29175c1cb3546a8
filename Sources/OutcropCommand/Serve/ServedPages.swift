// SPDX-License-Identifier: Apache-2.0

// The pages that are served beside the API: the console, or a folder instead of it.

import Files
import HTTPServer
import Identities
import RESTAPI
import SQLiteStore

enum ServedPages: Equatable, Sendable {
    case console
    /// The folder of `--public`.
    case folder(String, hasPage: Bool)
    case none

    /// Where the page is, or why there is none, for the log.
    func line(at addresses: [ListenAddress], isSecure: Bool) -> String {
        let pages: String
        switch self {
        case .console: pages = "The console"
        case .folder(let path, hasPage: true): pages = "The page of \(path)"
        case .folder(let path, hasPage: false): return "There is no page at /: \(path) has no index.html."
        case .none: return "There is no console: --no-console."
        }
        let isReachable = { (address: ListenAddress) in
            if case .tcp = address { return true }
            return false
        }
        let locations = addresses.filter(isReachable).map { $0.location(isSecure: isSecure) + "/" }
        guard let first = locations.first else {
            return "\(pages) needs an address that browsers can open, such as --listen 127.0.0.1:8080."
        }
        return "\(pages) is at \(first)."
    }

    /// For a log in JSON.
    var name: String {
        switch self {
        case .console: "console"
        case .folder(let path, _): path
        case .none: "none"
        }
    }
}

extension ServeSettings {
    var servedPages: ServedPages {
        if noConsole { return .none }
        guard let publicFolder else { return .console }
        return .folder(publicFolder, hasPage: FileSystem.isFile(publicFolder + "/index.html"))
    }

    /// The files of the configured folder, or of the console.
    ///
    /// - Parameter hidden: Further files that aren't served if they are in the folder.
    func pages(hiding hidden: [String] = []) throws -> (any Pages)? {
        switch servedPages {
        case .none: return nil
        case .console: return PublicFiles(Console.files)
        case .folder(let path, _):
            do throws(FileError) {
                return try PublicFolder(path, hiding: storeFiles + hidden)
            } catch {
                throw Failure("The folder of pages can't be opened: \(error.reason).", code: nil, file: path)
            }
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
}
