// SPDX-License-Identifier: Apache-2.0

// Formats of files of objects.

import Arguments
import FoundationEssentials

enum TransferFormat: String, CaseIterable, ArgumentValue {
    case ndjson
    case csv

    /// The format that a file's extension suggests.
    init?(extensionOf path: String) {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "ndjson", "jsonl", "json": self = .ndjson
        case "csv", "tsv", "txt": self = .csv
        default: return nil
        }
    }

    var mediaType: String { self == .csv ? "text/csv" : "application/x-ndjson" }
}
