// SPDX-License-Identifier: Apache-2.0

// The content of a folder, to be compared with a later one.

import FoundationEssentials

/// The files of a folder and their bytes, without SQLite's temporary files beside a log in use, and without the files
/// of large values, of which orphaned ones may be removed at any time.
struct FolderContent: Equatable {
    private let files: [String: Data]

    /// Reads the folder that a file is in.
    init(of path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
        where !name.hasSuffix("-shm") && !name.contains("_SUPPORT") {
            let type =
                try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.type] as? FileAttributeType
            files[name] = type == .typeRegular ? try Data(contentsOf: URL(filePath: "\(folder)/\(name)")) : Data()
        }
        self.files = files
    }

    /// Whether there is exactly one file, with these bytes.
    func isOnly(_ bytes: Data) -> Bool { files.count == 1 && files.values.first == bytes }
}
