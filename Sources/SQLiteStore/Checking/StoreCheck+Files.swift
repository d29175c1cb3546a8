// SPDX-License-Identifier: Apache-2.0

// Checks that the files of large values exist where rows name them, and that rows name all of them.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreCheck {
    func fileFlaws() throws -> [StoreFlaw] {
        let files = Set(folder.names)
        var flaws: [StoreFlaw] = []
        for table in schema.tables {
            for layout in table.layouts {
                for (slot, columns) in layout.attributes.enumerated() where !columns.externalColumns.isEmpty {
                    let name = layout.entity.attributes[slot].name
                    let columns = columns.externalColumns
                    if let flaw = try missingFiles(name, columns, layout, table, files) { flaws.append(flaw) }
                }
            }
        }
        var orphans = files
        if !files.isEmpty { try connection.allExternalNames { orphans.remove($0) } }
        guard let orphan = orphans.map(\.text).min() else { return flaws }
        let finding = StoreFinding(
            severity: .note,
            code: .fileOrphaned,
            entity: nil,
            property: nil,
            message: "\(orphans.count == 1 ? "1 file" : "\(orphans.count) files") beside the store "
                + "\(orphans.count == 1 ? "is" : "are") not the value of any object, such as \(orphan).",
            count: orphans.count,
            keys: [],
            repair: nil
        )
        return flaws + [StoreFlaw(finding: finding, repair: nil)]
    }

    private func missingFiles(
        _ attribute: String,
        _ columns: [Int],
        _ layout: EntityTable.Layout,
        _ table: EntityTable,
        _ files: Set<ExternalFileName>
    ) throws -> StoreFlaw? {
        var missing: Set<Int64> = []
        try connection.externalNames(
            in: table.name,
            columns: columns.map(table.name(ofColumn:)),
            keys: "(SELECT Z_PK FROM \(identifier: table.name) WHERE Z_ENT = \(literal: .integer(layout.number)))"
        ) { key, _, name in
            if !files.contains(name) { missing.insert(key) }
        }
        guard !missing.isEmpty else { return nil }
        let finding = StoreFinding(
            severity: .error,
            code: .fileMissing,
            entity: layout.entity.name,
            property: attribute,
            message: "\(missing.count.objects("has", "have")) a value in a file that doesn't exist.",
            count: missing.count,
            keys: Array(missing.sorted().prefix(StoreFlaw.keyLimit)),
            repair: nil
        )
        return StoreFlaw(finding: finding, repair: nil)
    }
}
