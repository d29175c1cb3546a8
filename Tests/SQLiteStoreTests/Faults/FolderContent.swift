// SPDX-License-Identifier: Apache-2.0

// What is in a folder, to be compared with what is there later.

import FoundationEssentials

/// The files of a folder and their bytes. What SQLite has of its own beside a log in use, and makes anew at will, isn't counted,
/// nor are the files of large values, of which those that nobody names are removed now and then.
struct FolderContent: Equatable {
    private let files: [String: Data]

    /// Of the folder that a file is in.
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

    /// Whether there is one file, of these bytes.
    func isOnly(_ bytes: Data) -> Bool { files.count == 1 && files.values.first == bytes }
}
