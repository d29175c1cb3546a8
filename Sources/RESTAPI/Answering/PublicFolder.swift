// SPDX-License-Identifier: Apache-2.0

// A public folder of files.

package import Files

/// Serves the files of a folder, and none outside: paths are resolved name by name, without following links.
package final class PublicFolder: Pages {
    private let folder: OpenFolder
    private let hiddenFiles: [String]

    /// - Parameter hiddenFiles: The paths of files that aren't served, whatever their names in the folder, such as
    ///   those of an open store: only SQLite may open a database.
    package init(_ path: String, hiding hiddenFiles: [String] = []) throws(FileError) {
        folder = try OpenFolder(path)
        self.hiddenFiles = hiddenFiles
    }

    package func file(_ names: [String]) throws(FileError) -> PublicFile {
        let open = try folder.file(names, hiding: Set(hiddenFiles.compactMap(FileSystem.identity)))
        let state = try open.state
        return PublicFile(
            length: state.size,
            tag: Self.tag(of: state),
            secondsSince1970: Int(state.modified.components.seconds),
            read: { range in try open.read(at: range.lowerBound, count: range.count) }
        )
    }

    private static func tag(of state: OpenFile.State) -> String {
        let (seconds, attoseconds) = state.modified.components
        return [Int64(state.size), seconds, attoseconds / 1_000_000_000, Int64(bitPattern: state.number)]
            .map { String($0, radix: 36) }.joined(separator: ".")
    }
}
