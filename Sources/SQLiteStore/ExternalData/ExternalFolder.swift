// SPDX-License-Identifier: Apache-2.0

// Where the files of a store's large values are.

import Files
import FoundationEssentials

/// The folder `.<store>_SUPPORT/_EXTERNAL_DATA` beside the file of a store, whose name in it has no extension.
struct ExternalFolder: Sendable {
    /// From the folder of the store down to the one of the files.
    private let levels: [String]

    init(store path: String) {
        let file = URL(filePath: path).resolvingSymlinksInPath()
        let folder = file.deletingLastPathComponent().path
        let support = folder + "/." + file.deletingPathExtension().lastPathComponent + "_SUPPORT"
        levels = [folder, support, support + "/_EXTERNAL_DATA"]
    }

    var path: String { levels[2] }

    func path(of name: ExternalFileName) -> String { path + "/" + name.text }

    /// Makes the folder if it isn't there, so that it is there for good.
    func make() throws(FileError) {
        for level in levels.dropFirst() { try OpenFolder.make(level) }
        for level in levels { try OpenFolder(level).sync() }
    }

    /// The files that may be values: others are nobody's business here.
    var names: [ExternalFileName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.compactMap { file in UUID(uuidString: file)?.uuidString == file ? ExternalFileName(file) : nil }
    }
}
