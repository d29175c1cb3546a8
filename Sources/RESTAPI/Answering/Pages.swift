// SPDX-License-Identifier: Apache-2.0

// Serves files beside the API, the server's pages.

package import Files
import HTTPMessage

/// A set of files that are served beside the API: a folder, or the files that are embedded in the program.
package protocol Pages: Sendable {
    /// The file with a path, given by its names; throws if there is none.
    func file(_ names: [String]) throws(FileError) -> PublicFile
}

/// A served file.
package struct PublicFile: Sendable {
    let length: Int
    /// Identifies the content.
    let tag: String
    var secondsSince1970: Int?
    /// Reads a range within the length.
    let read: @Sendable (Range<Int>) throws -> [UInt8]
}

extension Pages {
    /// The file at a path, or the index page of a folder; nil if there is none.
    func reply(_ segments: [String], isFolder: Bool, to request: HTTPRequest) throws(Problem) -> Reply? {
        let names = isFolder ? segments + ["index.html"] : segments
        // Hidden files aren't public.
        guard let name = names.last, !names.contains(where: { $0.hasPrefix(".") }) else { return nil }
        let file: PublicFile
        do throws(FileError) {
            file = try self.file(names)
        } catch {
            guard [.missing, .inTheWay, .denied].contains(error.code) else {
                throw .failed(error, "The file can't be read at the moment.")
            }
            return nil
        }
        let type = FileType.of(name)
        // Ranges of compressed content aren't supported.
        let isCompressed =
            HTTPResponse.isText(type) && file.length >= HTTPResponse.compressionThreshold
            && AcceptedEncodings(request.fields).accepts("gzip")
        var content = Content(
            length: file.length,
            type: type,
            tag: EntityTag(file.tag),
            lastModified: file.secondsSince1970.map(HTTPDate.init(secondsSince1970:)),
            supportsRanges: !isCompressed,
            read: file.read
        )
        content.fields = PageFields.all
        if HTTPResponse.isText(type) { content.fields.add(.vary, "Accept-Encoding") }
        return try content.reply(to: ContentRequest(request.method, fields: request.fields))
    }
}

private enum PageFields {
    static let all: HeaderFields = [
        .cacheControl: "no-cache", .contentSecurityPolicy: policy, .referrerPolicy: "no-referrer",
    ]

    /// Scripts and styles must come from this server, and the pages can't be framed.
    private static let policy = """
        default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'
        """
}
