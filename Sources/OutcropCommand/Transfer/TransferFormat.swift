// SPDX-License-Identifier: Apache-2.0

// Formats of files of objects.

import Arguments
import FoundationEssentials

enum TransferFormat: String, CaseIterable, ArgumentValue {
    case ndjson
    /// One array. Imports recognize it by its bracket, so that lines may have this extension, too.
    case json
    case csv

    /// The format that a file's extension suggests.
    init?(extensionOf path: String) {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "ndjson", "jsonl": self = .ndjson
        case "json": self = .json
        case "csv", "tsv", "txt": self = .csv
        default: return nil
        }
    }

    /// The format that objects are requested in; an array is made of lines.
    var mediaType: String { self == .csv ? "text/csv" : "application/x-ndjson" }
}
