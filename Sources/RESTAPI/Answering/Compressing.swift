// SPDX-License-Identifier: Apache-2.0

// Answers compressed, for clients that can take it and where it pays.

import Compression
import HTTPMessage

extension HTTPResponse {
    /// Shorter bodies would gain nothing.
    static let compressionThreshold = 1024

    /// Fast rather than small: JSON gets as short by higher levels as by this one, within a few in a hundred.
    private static let level = 4

    /// Compresses the body where it is text of some length and the client says that it can take it.
    mutating func compress(for request: HTTPRequest) {
        if status == .notModified { return nameKnownCoding(to: request) }
        guard length ?? .max >= Self.compressionThreshold, status != .partialContent, let type = fields[.contentType],
            Self.isText(type), !fields.contains(.contentEncoding), !fields.contains(.acceptRanges)
        else { return }
        if !fields.contains(.vary) { fields.add(.vary, "Accept-Encoding") }
        guard request.fields.contains(.acceptEncoding), AcceptedEncodings(request.fields).accepts("gzip") else {
            return
        }
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
        if let tag = fields[.etag].flatMap(EntityTag.init(parsing:)) { fields[.etag] = tag.ofCoded.description }
    }

    /// Has a client that knows the compressed answer keep the tag that it has.
    private mutating func nameKnownCoding(to request: HTTPRequest) {
        guard let tag = fields[.etag].flatMap(EntityTag.init(parsing:)),
            case .tags(let known)? = try? EntityTagCondition.ifNoneMatch(in: request.fields),
            !known.contains(tag), known.contains(tag.ofCoded)
        else { return }
        fields[.etag] = tag.ofCoded.description
    }

    /// The bytes of the body, where they are known and there are any; nil where there may be any number.
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
    /// What the tag of compressed bytes ends with, which aren't those of the plain answer.
    private static let coding = "-gzip"

    /// The tag of the same state, compressed.
    fileprivate var ofCoded: EntityTag { isWeak ? self : EntityTag(opaque + Self.coding) }

    /// The tag of the state itself, however it is sent.
    var ofState: EntityTag {
        opaque.hasSuffix(Self.coding) ? EntityTag(String(opaque.dropLast(Self.coding.count)), isWeak: isWeak) : self
    }
}

extension EntityTagCondition {
    /// The condition on the states themselves, however they were sent.
    var ofStates: EntityTagCondition {
        switch self {
        case .any: .any
        case .tags(let tags): .tags(tags.map(\.ofState))
        }
    }
}

/// Hands on compressed what is written to it.
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
