// SPDX-License-Identifier: Apache-2.0

// Makes a new store appear under its name only when it is complete.

import Files
import FoundationEssentials

package enum NewStore {
    /// Creates a store of any kind in a temporary folder beside a path, then moves it and the files of its large values
    /// to the path, durably. Nothing is left if it fails.
    ///
    /// - Parameter old: The names of existing files that the new ones replace. No other file is overwritten.
    package static func make(
        _ path: String,
        replacing old: [String] = [],
        _ body: (_ temporaryPath: String) throws -> Void
    ) throws {
        let place = URL(filePath: path)
        let name = place.lastPathComponent
        let support = ExternalFolder.supportName(ofStoreAt: path)
        do {
            guard old.contains(name) || !FileSystem.exists(path) else { throw StoreError.exists }
            let new = try NewFiles(beside: path)
            do {
                try body("\(new.folder)/\(name)")
                guard FileSystem.exists("\(new.folder)/\(name)") else { throw StoreError.notMade }
            } catch var error as StoreError where error.path?.hasPrefix(new.folder) ?? false {
                // Hides the temporary path.
                error.path = path
                throw error
            }
            try new.moveIntoPlace([support, name], replacing: old)
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

extension StoreError {
    fileprivate static let notMade = StoreError(.fileSystem, "There is no new store to move there.")
    fileprivate static let exists = StoreError(.exists, "The file exists already, and is not overwritten.")
}
