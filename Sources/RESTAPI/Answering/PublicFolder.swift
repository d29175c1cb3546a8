// SPDX-License-Identifier: Apache-2.0

// A folder of files that anybody may have: the pages of the server.

public import Files
import HTTPMessage

/// Serves the files of a folder, and nothing that is elsewhere: names lead to them one by one, and links nowhere.
public final class PublicFolder: Sendable {
    private let folder: OpenFolder
    private let hiddenFiles: [String]

    /// - Parameter hiddenFiles: The paths of files that aren't served if the folder has them under whatever names, such as those
    ///   of an open store: a database must not be opened but by SQLite.
    public init(_ path: String, hiding hiddenFiles: [String] = []) throws(FileError) {
        folder = try OpenFolder(path)
        self.hiddenFiles = hiddenFiles
    }

    /// Scripts and styles come from here alone, and nobody frames the pages.
    private static let policy = """
        default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'
        """

    /// The file that a path leads to, or the page of the folder; nil where there is none.
    func reply(_ segments: [String], isFolder: Bool, to request: HTTPRequest) throws(Problem) -> Reply? {
        let names = isFolder ? segments + ["index.html"] : segments
        // What begins with a dot was not put there to be seen.
        guard let name = names.last, !names.contains(where: { $0.hasPrefix(".") }) else { return nil }
        let (file, state): (OpenFile, OpenFile.State)
        do throws(FileError) {
            file = try folder.file(names, hiding: Set(hiddenFiles.compactMap(FileSystem.identity)))
            state = try file.state
        } catch {
            guard [.missing, .inTheWay, .denied].contains(error.code) else {
                throw .failed(error, "The file can't be read now.")
            }
            return nil
        }
        let type = FileType.of(name)
        // What is sent compressed has no parts.
        let isCompressed =
            HTTPResponse.isText(type) && state.size >= HTTPResponse.compressionThreshold
            && AcceptedEncodings(request.fields).accepts("gzip")
        var content = Content(
            length: state.size,
            type: type,
            tag: EntityTag(Self.tag(of: state)),
            lastModified: HTTPDate(secondsSince1970: Int(state.modified.components.seconds)),
            hasParts: !isCompressed,
            read: { range in try file.read(at: range.lowerBound, count: range.count) }
        )
        content.fields = Self.fields
        if HTTPResponse.isText(type) { content.fields.add(.vary, "Accept-Encoding") }
        return try content.reply(to: ContentRequest(request.method, request.fields))
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
