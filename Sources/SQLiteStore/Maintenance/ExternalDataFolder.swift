// SPDX-License-Identifier: Apache-2.0

// The files beside a store that hold its large values.

import FoundationEssentials

/// The folder `.<store>_SUPPORT/_EXTERNAL_DATA` beside the file of a store, whose name in it has no extension.
struct ExternalDataFolder {
    let path: String

    init(store path: String) {
        let file = URL(filePath: path).resolvingSymlinksInPath()
        let name = "." + file.deletingPathExtension().lastPathComponent + "_SUPPORT"
        self.path = file.deletingLastPathComponent().path + "/" + name + "/_EXTERNAL_DATA"
    }

    func path(of name: String) -> String { path + "/" + name }

    /// The files that may be values, sorted.
    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { UUID(uuidString: $0) != nil }.sorted()
    }

    /// Copies all files into the folder of another store.
    func copy(to other: ExternalDataFolder) throws {
        let names = names
        guard !names.isEmpty else { return }
        try FileManager.default.createDirectory(atPath: other.path, withIntermediateDirectories: true)
        for name in names {
            try FileManager.default.copyItem(atPath: path(of: name), toPath: other.path(of: name))
        }
    }
}
