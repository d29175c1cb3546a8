// SPDX-License-Identifier: Apache-2.0

// Saves of stores that have large values in files.

import Files
import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    /// Writes large values into files, then the save, then removes the files that it let go of.
    func save(
        _ request: StoreSaveRequest,
        _ files: ExternalFiles,
        telling tell: @escaping @Sendable ([Snapshot]) -> Void
    ) throws -> StoreSaveResult {
        let placement = try naming { try ExternalPlacement.write(request, tables, files) }
        let releasedColumns = request.releasedColumns(tables)
        return try placement.settle {
            let (result, released) = try writing { [tables] connection in
                placement.mark(isWritten: false)
                let released = try tables.released(releasedColumns, connection)
                let result = try tables.save(request, connection, places: placement.places)
                guard case .saved(let written) = result else { return (result, [ExternalFileName]()) }
                placement.mark(isWritten: true)
                connection.afterCommit { tell(written) }
                return (result, released)
            }
            files.release(released)
            return result
        }
    }
}
