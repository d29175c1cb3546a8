// SPDX-License-Identifier: Apache-2.0

// Compresses responses if the client accepts it and it is worth it.

import Compression
import HTTPMessage

extension HTTPRequest {
    var acceptsCompression: Bool {
        fields.contains(.acceptEncoding) && AcceptedEncodings(fields).accepts("gzip")
    }
}

extension HTTPResponse {
    /// Shorter bodies aren't worth compressing.
    static let compressionThreshold = 1024

    /// Favours speed: higher levels shorten JSON only by a few percent more.
    private static let level = 4

    /// Compresses the body if it is text of some length and the client accepts gzip.
    mutating func compress(for request: HTTPRequest) {
        if status == .notModified { return setKnownTag(of: request) }
        guard length ?? .max >= Self.compressionThreshold, status != .partialContent, let type = fields[.contentType],
            Self.isText(type), !fields.contains(.contentEncoding), !fields.contains(.acceptRanges)
        else { return }
        if !fields.contains(.vary) { fields.add(.vary, "Accept-Encoding") }
        guard request.acceptsCompression else { return }
        switch body {
        case .bytes(let bytes):
            guard let deflated = try? bytes.deflated(.gzip, level: Self.level), deflated.count < bytes.count else {
                return
            }
            body = .bytes(deflated)
        case .stream(_, let write):
            body = .stream(length: nil) { writer in
                let compressing = try CompressingWriter(writer, level: Self.level)
                try write(compressing)
                try compressing.end()
            }
        case .none, .feed: return
        }
        fields.add(.contentEncoding, "gzip")
        if let tag = fields[.etag].flatMap(EntityTag.init(parsing:)) { fields[.etag] = tag.gzipTag.description }
    }

    /// Answers with the tag that the client sent, if it is the tag of another representation of the state.
    private mutating func setKnownTag(of request: HTTPRequest) {
        guard let tag = fields[.etag].flatMap(EntityTag.init(parsing:)),
            case .tags(let known)? = try? EntityTagCondition.ifNoneMatch(in: request.fields), !known.contains(tag),
            let sent = known.first(where: { $0.stateTag == tag })
        else { return }
        fields[.etag] = sent.description
    }

    /// The length of the body in bytes, or nil if unknown.
    private var length: Int? {
        switch body {
        case .none, .feed: 0
        case .bytes(let bytes): bytes.count
        case .stream(let length, _): length
        }
    }

    static func isText(_ type: String) -> Bool {
        let essence = type.prefix { $0 != ";" }
        return essence.hasPrefix("text/") || essence.hasSuffix("json") || essence.hasSuffix("xml")
            || essence == "application/javascript"
    }
}

extension EntityTag {
    /// The suffixes of the tags of other representations, which must differ from those of the plain one.
    private static let coding = "-gzip"
    private static let layout = "-pretty"

    /// The tag of the same state, compressed.
    fileprivate var gzipTag: EntityTag { isWeak ? self : EntityTag(opaque + Self.coding) }

    /// The tag of the same state, as JSON for people.
    var readableTag: EntityTag { isWeak ? self : EntityTag(opaque + Self.layout) }

    /// The tag of the state, whatever its representation.
    var stateTag: EntityTag {
        var state = opaque[...]
        for suffix in [Self.coding, Self.layout] where state.hasSuffix(suffix) { state = state.dropLast(suffix.count) }
        return state.endIndex == opaque.endIndex ? self : EntityTag(String(state), isWeak: isWeak)
    }
}

extension EntityTagCondition {
    /// The condition on states, whatever their representations.
    var withStateTags: EntityTagCondition {
        switch self {
        case .any: .any
        case .tags(let tags): .tags(tags.map(\.stateTag))
        }
    }
}

/// Compresses what is written to it and forwards it.
private final class CompressingWriter: HTTPBodyWriter {
    private let writer: any HTTPBodyWriter
    private var deflater: Deflater

    init(_ writer: any HTTPBodyWriter, level: Int) throws {
        self.writer = writer
        deflater = try Deflater(.gzip, level: level)
    }

    func write(_ bytes: [UInt8]) throws { try hand(on: deflater.deflate(bytes)) }

    func end() throws { try hand(on: deflater.finish()) }

    private func hand(on bytes: [UInt8]) throws {
        if !bytes.isEmpty { try writer.write(bytes) }
    }
}
