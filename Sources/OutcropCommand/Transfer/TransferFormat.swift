// SPDX-License-Identifier: Apache-2.0

// What files of objects are written as.

import Arguments
import FoundationEssentials

enum TransferFormat: String, CaseIterable, ArgumentValue {
    case ndjson
    case csv

    /// What a file's extension stands for.
    init?(extensionOf path: String) {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "ndjson", "jsonl", "json": self = .ndjson
        case "csv", "tsv", "txt": self = .csv
        default: return nil
        }
    }

    var mediaType: String { self == .csv ? "text/csv" : "application/x-ndjson" }
}
