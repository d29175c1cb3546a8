// SPDX-License-Identifier: Apache-2.0

// What clients send: however the bytes are cut, the same requests must be read from them, and what is read from one of a
// request's values must be written and read back as the same.

import HTTPMessage

func fuzzHTTP(_ bytes: [UInt8]) -> CInt {
    let whole = transcript(of: [bytes])
    precondition(transcript(of: bytes.map { [$0] }) == whole, "Single bytes were read as something else.")
    var pieces: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
        // Where it is cut follows from the bytes, so that what was found is found again.
        let end = min(bytes.count, start + 1 + Int(bytes[start] % 31))
        pieces.append(Array(bytes[start..<end]))
        start = end
    }
    precondition(transcript(of: pieces) == whole, "Pieces were read as something else.")
    for case .head(let head) in whole.events {
        precondition(head.fields.all.allSatisfy { $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 } })
        fuzzTarget(head.target)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    fuzzTarget(text)
    fuzzValues(text)
    return 0
}

private struct Transcript: Equatable {
    var events: [HTTPReadEvent] = []
    var refusal: HTTPRefusal?
}

private func transcript(of pieces: [[UInt8]]) -> Transcript {
    let limits = HTTPReadLimits(
        requestLine: 256,
        fieldLine: 128,
        fieldBytes: 512,
        fieldCount: 8,
        chunkLine: 32,
        chunkExtensions: 64,
        trailerBytes: 64,
        body: 256
    )
    var transcript = Transcript()
    var reader = HTTPRequestReader(limits: limits)
    for piece in pieces {
        reader.receive(piece)
        do {
            reading: while true {
                let event = try reader.next()
                switch (event, transcript.events.last) {
                case (.needMore, _): break reading
                case (.body(let more), .body(let body)):
                    transcript.events[transcript.events.count - 1] = .body(body + more)
                default: transcript.events.append(event)
                }
            }
        } catch {
            precondition(error.status.code >= 400 && !error.message.isEmpty)
            transcript.refusal = error
        }
    }
    return transcript
}

private func fuzzTarget(_ text: String) {
    guard let target = try? RequestTarget(text) else { return }
    precondition(!target.segments.contains { ["", ".", ".."].contains($0) }, "A segment leads elsewhere.")
    var link = "/" + target.segments.map(RequestTarget.encode(segment:)).joined(separator: "/")
    if target.hasTrailingSlash { link += "/" }
    link += "?"
    link += target.query.map { item in
        RequestTarget.encode(queryValue: item.name)
            + (item.hasValue ? "=" + RequestTarget.encode(queryValue: item.value) : "")
    }.joined(separator: "&")
    let again = try? RequestTarget(link)
    precondition(again?.segments == target.segments && again?.query == target.query, "\(link) is another target.")
}

private func fuzzValues(_ text: String) {
    var fields: HeaderFields = [:]
    for name: FieldName in [.accept, .acceptEncoding, .ifMatch, .ifRange, .prefer] { fields.add(name, text) }
    _ = AcceptedMediaTypes(fields).bestMatch(among: [.json, .html])
    _ = AcceptedEncodings(fields).accepts("gzip")
    _ = RangeCondition.allowsParts(fields, tag: EntityTag("3"))
    if let type = MediaType(text) {
        precondition(MediaType(type.description) == type, "\(type) is another type.")
    }
    for preference in Preference.all(in: fields) {
        let again = Preference.all(in: ["Prefer": preference.description])
        precondition(again == [Preference(preference.name, preference.value)], "\(preference) is another preference.")
    }
    if case .tags(let tags)? = try? EntityTagCondition.ifMatch(in: fields) {
        for tag in tags { precondition(EntityTag(parsing: tag.description) == tag, "\(tag) is another tag.") }
    }
    if let date = HTTPDate(text) { precondition(HTTPDate(date.description) == date, "\(date) is another date.") }
    for range in ByteRange.ranges(in: text) ?? [] {
        for length in [0, 1, 10, .max] {
            if let bytes = range.resolved(length: length) { precondition(!bytes.isEmpty && bytes.upperBound <= length) }
        }
    }
    let event = ServerSentEvent(id: text, event: text, data: text).bytes
    precondition(!event.dropLast().contains(0x0D) && event.suffix(2) == [0x0A, 0x0A], "An event does not end.")
}
