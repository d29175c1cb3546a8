// SPDX-License-Identifier: Apache-2.0

// A store that appears under its name when it is whole.

import Files
import FoundationEssentials

package enum NewStore {
    /// Has a store of any kind made in a folder of its own beside a path, and moves it there with the files of its large values,
    /// so that it is there for good. Nothing is left where that fails.
    ///
    /// - Parameter isReplacing: Whether a store may be there already, which stays until then.
    package static func make(
        _ path: String,
        isReplacing: Bool = false,
        _ body: (_ temporaryPath: String) throws -> Void
    ) throws {
        let place = URL(filePath: path)
        let (name, support) = (place.lastPathComponent, ExternalFolder.supportName(ofStoreAt: path))
        do {
            if !isReplacing {
                guard !FileSystem.exists(path) else { throw StoreError.exists }
                let folder = ExternalFolder(store: path)
                guard folder.names.isEmpty else { throw StoreError.hasFiles(folder.path) }
            }
            let new = try NewFiles(beside: path)
            do {
                try body("\(new.folder)/\(name)")
            } catch var error as StoreError where error.path?.hasPrefix(new.folder) ?? false {
                // The name under which it is made says nothing to anybody.
                error.path = path
                throw error
            }
            // The log of the file that was there would be taken for that of the new one.
            let old = [name, name + "-wal", name + "-shm", name + "-journal", support]
            try new.appear([support, name], replacing: isReplacing ? old : [])
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

extension StoreError {
    fileprivate static let exists = StoreError(.exists, "There is a file already, and nothing is overwritten.")

    fileprivate static func hasFiles(_ folder: String) -> StoreError {
        StoreError(.exists, "The values of another store are in “\(folder)”.", hint: "Copy to another path.")
    }
}
