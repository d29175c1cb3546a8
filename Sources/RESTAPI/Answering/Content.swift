// SPDX-License-Identifier: Apache-2.0

// Bytes that are a resource of their own: values of binary attributes, and files. Any number of them is sent without being in
// memory.

import HTTPMessage

/// Bytes of a known length in a known state.
struct Content: Sendable {
    let length: Int
    let type: String
    let tag: EntityTag
    var lastModified: HTTPDate?
    /// Whether parts can be had of it.
    var hasParts = true
    /// Fields that the answer has besides, also where it has no body.
    var fields = HeaderFields()
    /// Gives the bytes of a range that lies within the length.
    let read: @Sendable (Range<Int>) throws -> [UInt8]
    /// Is told which ranges are read in the order in which they are, before the first of them is.
    var willRead: (@Sendable ([Range<Int>]) -> Void)?

    /// What a client is answered who asks for all of it, or for parts, on conditions.
    func reply(to request: ContentRequest) throws(Problem) -> Reply {
        if let condition = request.conditions.ifMatch, !condition.matchesStrongly(tag) {
            throw Problem(.precondition, "It is another version than If-Match names.", hint: "Its ETag is \(tag).")
        }
        if isKnown(to: request) { return reply(.notModified, .none) }
        guard hasParts, let ranges = request.ranges, allowsParts(request) else { return whole }
        let parts = ranges.compactMap { $0.resolved(length: length) }
        // Parts that are more than the whole would be a way to have much sent for little.
        if parts.count > 1, parts.reduce(0, { $0 + $1.count }) >= length { return whole }
        switch parts.count {
        case 0: throw .range(length)
        case 1:
            var reply = reply(.partialContent, body(parts[0], type: type))
            reply.fields[.contentRange] = ByteRange.contentRange(parts[0], length: length)
            return reply
        default:
            willRead?(parts)
            return reply(.partialContent, Multipart(parts, of: self).body)
        }
    }

    private var whole: Reply {
        var reply = reply(.ok, body(0..<length, type: type))
        if hasParts { reply.fields[.acceptRanges] = "bytes" }
        return reply
    }

    private func reply(_ status: HTTPStatus, _ content: Reply.Content) -> Reply {
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

    /// Sends a range piece by piece, the next one when most of what was sent before is taken.
    func write(_ range: Range<Int>, to writer: any HTTPBodyWriter) throws {
        var rest = range
        while !rest.isEmpty {
            let piece = try piece(rest.prefix(Self.pieceSize))
            try writer.write(piece)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Where bytes that were told are not there any more, the connection ends, so that nobody takes what came for the whole.
    private func piece(_ range: Range<Int>) throws(ContentFailure) -> [UInt8] {
        do {
            let piece = try read(range)
            if !piece.isEmpty { return piece }
        } catch {
            throw ContentFailure(reason: Problem.reason(of: error))
        }
        throw ContentFailure(reason: "Of \(length) bytes those from \(range.lowerBound) on aren't there any more.")
    }
}

extension Problem {
    fileprivate static func range(_ length: Int) -> Problem {
        var problem = Problem(.range, "It has \(length) bytes, none of them in what is asked for.")
        problem.fields[.contentRange] = ByteRange.contentRange(nil, length: length)
        return problem
    }
}
