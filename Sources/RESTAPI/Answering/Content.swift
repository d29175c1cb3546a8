// SPDX-License-Identifier: Apache-2.0

// Bytes that are resources: values of binary attributes, and files. They are sent in pieces, so their size isn't
// limited by memory.

import HTTPMessage

/// Bytes of a known length in a known state.
struct Content: Sendable {
    let length: Int
    let type: String
    let tag: EntityTag
    var lastModified: HTTPDate?
    /// Whether ranges are supported.
    var supportsRanges = true
    /// Additional fields of the response, with or without a body.
    var fields = HeaderFields()
    /// Reads a range within the length.
    let read: @Sendable (Range<Int>) throws -> [UInt8]
    /// Called with the ranges that will be read, in order, before the first one is read.
    var willRead: (@Sendable ([Range<Int>]) -> Void)?

    /// The reply to a request for the whole or for ranges, subject to its conditions.
    func reply(to request: ContentRequest) throws(Problem) -> Reply {
        if let condition = request.conditions.ifMatch, !condition.matchesStrongly(tag) {
            throw Problem(
                .precondition,
                "The current version isn't the one that If-Match names.",
                hint: "Its ETag is \(tag)."
            )
        }
        if isKnown(to: request) { return reply(.notModified, content: .none) }
        guard supportsRanges, let ranges = request.ranges, allowsParts(request) else { return whole }
        let parts = ranges.compactMap { $0.resolved(length: length) }
        // Overlapping ranges could otherwise multiply the size of the response.
        if parts.count > 1, parts.reduce(0, { $0 + $1.count }) >= length { return whole }
        switch parts.count {
        case 0: throw .range(length)
        case 1:
            var reply = reply(.partialContent, content: body(parts[0], type: type))
            reply.fields[.contentRange] = ByteRange.contentRange(parts[0], length: length)
            return reply
        default:
            willRead?(parts)
            return reply(.partialContent, content: Multipart(parts, of: self).body)
        }
    }

    private var whole: Reply {
        var reply = reply(.ok, content: body(0..<length, type: type))
        if supportsRanges { reply.fields[.acceptRanges] = "bytes" }
        return reply
    }

    private func reply(_ status: HTTPStatus, content: Reply.Content) -> Reply {
        var reply = Reply(content, status: status)
        reply.fields = fields
        reply.fields[.etag] = tag.description
        if let lastModified { reply.fields[.lastModified] = lastModified.description }
        return reply
    }

    private func isKnown(to request: ContentRequest) -> Bool {
        if let condition = request.conditions.ifNoneMatch { return condition.matchesWeakly(tag) }
        guard let lastModified, let since = request.ifModifiedSince else { return false }
        return lastModified <= since
    }

    private func allowsParts(_ request: ContentRequest) -> Bool {
        switch request.ifRange {
        case nil: true
        case .some(nil): false
        case .tag(let wanted): wanted.matchesStrongly(tag)
        case .date(let wanted): wanted == lastModified
        }
    }

    private func body(_ range: Range<Int>, type: String) -> Reply.Content {
        willRead?([range])
        return .stream(type: type, length: range.count) { writer in try write(range, to: writer) }
    }

    private static let pieceSize = 64 << 10

    /// Sends a range in pieces, each after most of the previous one was taken.
    func write(_ range: Range<Int>, to writer: any HTTPBodyWriter) throws {
        var rest = range
        while !rest.isEmpty {
            let piece = try piece(rest.prefix(Self.pieceSize))
            try writer.write(piece)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Throws if promised bytes are missing, which ends the connection, so that the client notices the truncation.
    private func piece(_ range: Range<Int>) throws(ContentFailure) -> [UInt8] {
        do {
            let piece = try read(range)
            if !piece.isEmpty { return piece }
        } catch {
            throw ContentFailure(reason: Problem.reason(of: error))
        }
        throw ContentFailure(
            reason:
                "The value has \(length) bytes, but those from offset \(range.lowerBound) on are no longer available."
        )
    }
}

extension Problem {
    fileprivate static func range(_ length: Int) -> Problem {
        var problem = Problem(.range, "The requested range lies beyond the end, at \(length) bytes.")
        problem.fields[.contentRange] = ByteRange.contentRange(nil, length: length)
        return problem
    }
}
