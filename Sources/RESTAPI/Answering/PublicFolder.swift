// SPDX-License-Identifier: Apache-2.0

// Serves a public folder of files, the server's pages.

package import Files
import HTTPMessage

/// Serves the files of a folder, and none outside: paths are resolved name by name, without following links.
package final class PublicFolder: Sendable {
    private let folder: OpenFolder
    private let hiddenFiles: [String]

    /// - Parameter hiddenFiles: The paths of files that aren't served, whatever their names in the folder, such as
    ///   those of an open store: only SQLite may open a database.
    package init(_ path: String, hiding hiddenFiles: [String] = []) throws(FileError) {
        folder = try OpenFolder(path)
        self.hiddenFiles = hiddenFiles
    }

    /// Scripts and styles must come from this server, and the pages can't be framed.
    private static let policy = """
        default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'
        """

    /// The file at a path, or the index page of a folder; nil if there is none.
    func reply(_ segments: [String], isFolder: Bool, to request: HTTPRequest) throws(Problem) -> Reply? {
        let names = isFolder ? segments + ["index.html"] : segments
        // Hidden files aren't public.
        guard let name = names.last, !names.contains(where: { $0.hasPrefix(".") }) else { return nil }
        let (file, state): (OpenFile, OpenFile.State)
        do throws(FileError) {
            file = try folder.file(names, hiding: Set(hiddenFiles.compactMap(FileSystem.identity)))
            state = try file.state
        } catch {
            guard [.missing, .inTheWay, .denied].contains(error.code) else {
                throw .failed(error, "The file can't be read at the moment.")
            }
            return nil
        }
        let type = FileType.of(name)
        // Ranges of compressed content aren't supported.
        let isCompressed =
            HTTPResponse.isText(type) && state.size >= HTTPResponse.compressionThreshold
            && AcceptedEncodings(request.fields).accepts("gzip")
        var content = Content(
            length: state.size,
            type: type,
            tag: EntityTag(Self.tag(of: state)),
            lastModified: HTTPDate(secondsSince1970: Int(state.modified.components.seconds)),
            supportsRanges: !isCompressed,
            read: { range in try file.read(at: range.lowerBound, count: range.count) }
        )
        content.fields = Self.fields
        if HTTPResponse.isText(type) { content.fields.add(.vary, "Accept-Encoding") }
        return try content.reply(to: ContentRequest(request.method, fields: request.fields))
    }

    private static let fields: HeaderFields = [
        .cacheControl: "no-cache", .contentSecurityPolicy: policy, .referrerPolicy: "no-referrer",
    ]

    private static func tag(of state: OpenFile.State) -> String {
        let (seconds, attoseconds) = state.modified.components
        return [Int64(state.size), seconds, attoseconds / 1_000_000_000, Int64(bitPattern: state.number)]
            .map { String($0, radix: 36) }.joined(separator: ".")
    }
}
