// SPDX-License-Identifier: Apache-2.0

// Saves of stores with large values in files.

import Files
import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    /// Writes large values into files, then the save, then removes the files that the save released.
    func save(
        _ request: StoreSaveRequest,
        _ files: ExternalFiles,
        commit: Commit<[Snapshot]>
    ) throws -> StoreSaveResult {
        let placement = ExternalPlacement(files)
        return try placement.finish {
            let places = try naming {
                let places = try placement.place(request.externalValues(tables))
                try placement.sync()
                return places
            }
            let releasedColumns = request.releasedColumns(tables)
            return try writing { [tables] connection in
                placement.willWrite()
                placement.release(try tables.released(releasedColumns, connection))
                let result = try tables.save(request, connection, places: places, commit: commit)
                if case .saved = result { placement.willCommit() }
                return result
            }
        }
    }
}
