// SPDX-License-Identifier: Apache-2.0

// The files of large values: there where a row names one, and named by a row.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreCheck {
    func fileFlaws() throws -> [StoreFlaw] {
        let files = Set(folder.names)
        var flaws: [StoreFlaw] = []
        for table in schema.tables {
            for layout in table.layouts {
                for (slot, columns) in layout.attributes.enumerated() {
                    guard case .value(let place, .externalData) = columns else { continue }
                    let name = layout.entity.attributes[slot].name
                    let column = table.name(ofColumn: place)
                    if let flaw = try missingFiles(name, column, layout, table, files) { flaws.append(flaw) }
                }
            }
        }
        let orphans = files.subtracting(files.isEmpty ? [] : try allNamed())
        guard !orphans.isEmpty else { return flaws }
        let finding = StoreFinding(
            severity: .note,
            code: .fileOrphaned,
            entity: nil,
            property: nil,
            message: "\(orphans.count == 1 ? "1 file" : "\(orphans.count) files") beside the store "
                + "\(orphans.count == 1 ? "is" : "are") the value of no object, such as \(orphans.min() ?? "").",
            count: orphans.count,
            keys: [],
            repair: nil
        )
        return flaws + [StoreFlaw(finding: finding, repair: nil)]
    }

    private func missingFiles(
        _ attribute: String,
        _ column: String,
        _ layout: EntityTable.Layout,
        _ table: EntityTable,
        _ files: Set<String>
    ) throws -> StoreFlaw? {
        var missing: [Int64] = []
        let query: SQL = """
            SELECT \(identifier: column), Z_PK FROM \(identifier: table.name) \
            WHERE Z_ENT = \(literal: .integer(layout.number)) AND \(Self.isName(column)) ORDER BY Z_PK
            """
        try connection.run(query) { row in
            if let name = Self.name(row.bytes(0)), !files.contains(name) { missing.append(row.int64(1)) }
        }
        guard !missing.isEmpty else { return nil }
        let finding = StoreFinding(
            severity: .error,
            code: .fileMissing,
            entity: layout.entity.name,
            property: attribute,
            message: "\(missing.count.objects("has", "have")) a value in a file that isn't there.",
            count: missing.count,
            keys: Array(missing.prefix(StoreFlaw.keyLimit)),
            repair: nil
        )
        return StoreFlaw(finding: finding, repair: nil)
    }

    /// The files that anything in the database names, tables that nobody knows here among it.
    private func allNamed() throws -> Set<String> {
        var named: Set<String> = []
        for table in try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'", { $0.string(0) }) {
            let columns = try connection.rows(
                "SELECT name FROM pragma_table_info(\(value: .text(table))) WHERE type LIKE '%BLOB%' OR type = ''"
            ) { $0.string(0) }
            for column in columns {
                let query: SQL = "SELECT \(identifier: column) FROM \(identifier: table) WHERE \(Self.isName(column))"
                try connection.run(query) { row in
                    if let name = Self.name(row.bytes(0)) { named.insert(name) }
                }
            }
        }
        return named
    }

    /// SQLite knows the length of bytes without reading them: a mark, the name, which is a UUID, and a zero.
    private static func isName(_ column: String) -> SQL { "length(\(identifier: column)) = 38" }

    private static func name(_ bytes: [UInt8]) -> String? {
        guard bytes.first == ExternalDataMark.file, bytes.last == 0 else { return nil }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
