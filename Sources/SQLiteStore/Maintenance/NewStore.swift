// SPDX-License-Identifier: Apache-2.0

// A store that appears under its name when it is whole.

import Files
import FoundationEssentials

package enum NewStore {
    /// Has a store of any kind made in a folder of its own beside a path, and moves it there with the files of its large values,
    /// so that it is there for good. Nothing is left where that fails.
    ///
    /// - Parameter old: The names of what may be there already, and goes; it stays until then. Nothing else is overwritten.
    package static func make(
        _ path: String,
        replacing old: [String] = [],
        _ body: (_ temporaryPath: String) throws -> Void
    ) throws {
        let place = URL(filePath: path)
        let (name, support) = (place.lastPathComponent, ExternalFolder.supportName(ofStoreAt: path))
        do {
            guard old.contains(name) || !FileSystem.exists(path) else { throw StoreError.exists }
            let new = try NewFiles(beside: path)
            do {
                try body("\(new.folder)/\(name)")
                guard FileSystem.exists("\(new.folder)/\(name)") else { throw StoreError.notMade }
            } catch var error as StoreError where error.path?.hasPrefix(new.folder) ?? false {
                // The name under which it is made says nothing to anybody.
                error.path = path
                throw error
            }
            try new.appear([support, name], replacing: old)
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

extension StoreError {
    fileprivate static let notMade = StoreError(.fileSystem, "Nothing was made that could be moved there.")
    fileprivate static let exists = StoreError(.exists, "There is a file already, and nothing is overwritten.")
}
