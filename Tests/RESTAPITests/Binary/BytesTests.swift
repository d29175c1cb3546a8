// SPDX-License-Identifier: Apache-2.0

// The bytes of binary attributes.

import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Testing

@testable import RESTAPI

@Suite("Bytes of binary attributes")
struct BytesTests {
    static let model = Model {
        Entity("Document", userInfo: ["path": "documents"]) {
            Attribute("title", .string).optional()
            Attribute("scan", .binary).optional().externalStorage()
            Attribute("photo", .binary).optional().userInfo(["contentType": "image/png"])
            Attribute("page", .binary).optional().userInfo(["contentType": "text/html; charset=utf-8"])
            Attribute("odd", .binary).optional().userInfo(["contentType": "text/html\r\nX: y"])
            Attribute("seal", .binary).default(Data([1]))
        }
        Entity("Letter", parent: "Document") { Attribute("stamp", .binary).optional() }
    }

    static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// Runs a test with stores that have one document, and passes its path.
    static func each(
        options: APIOptions = APIOptions(),
        _ body: (APIWorld, _ document: String) throws -> Void
    ) throws {
        let fill = { (coordinator: PersistentStoreCoordinator) in
            try coordinator.withContext { context in
                let document = try context.insert("Letter")
                try document.setValue(.data(Data(bytes)), forKey: "scan")
                try document.setValue("One", forKey: "title")
                try context.save()
            }
        }
        try APIWorld.each(model, options: options, filling: fill) { world throws in
            let key = try world.coordinator.withContext { context in
                try #require(context.objectIDs(FetchRequest<ManagedObject>("Document")).first.map(Catalogue.key))
            }
            try body(world, "/api/documents/\(key)")
        }
    }

    @Test("bytes are sent whole, with the object's version as tag, and browsers can't run them")
    func whole() throws {
        try Self.each { world, document throws in
            let answer = try world.get(document + "/scan")
            #expect(answer.status == 200)
            #expect(answer.bytes == Self.bytes)
            #expect(answer.fields[.etag] == "\"1\"")
            #expect(answer.fields[.contentType] == "application/octet-stream")
            #expect(answer.fields[.acceptRanges] == "bytes")
            #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
            #expect(answer.fields["Content-Security-Policy"]?.contains("sandbox") == true)
            let key = document.split(separator: "/").last ?? ""
            #expect(answer.fields["Content-Disposition"] == "attachment; filename=\"Letter-\(key)-scan\"")
        }
    }

    @Test(
        "bytes are those at the answer's start for a slow reader, and don't keep the log from being emptied for long",
        arguments: ["", "bytes=100000-", "bytes=200000-250000,0-20000"]
    )
    func slowReader(ranges: String) throws {
        var options = APIOptions()
        options.streamStateTime = .milliseconds(20)
        try Self.each(options: options) { world, document throws in
            guard let path = world.sqlite?.path else { return }
            func put(_ bytes: [UInt8]) throws {
                #expect(try world.send(.put, document + "/photo", body: .bytes(bytes)).status == 204)
            }
            try put(Self.bytes)
            let target = document + "/photo"
            let request = HTTPRequest(.get, target, fields: ranges.isEmpty ? [:] : [.range: ranges])
            guard case .stream(_, let write) = world.api.respond(to: request).body else {
                Issue.record("The answer is no stream.")
                return
            }
            let writer = InterferingWriter { piece in
                guard piece == 2 else { return }
                try put(Array(Self.bytes.reversed()))
                let end = ContinuousClock.now + .seconds(60)
                while try !world.emptiesLog(path), ContinuousClock.now < end { usleep(5_000) }
                #expect(try world.emptiesLog(path))
            }
            try write(writer)
            let whole =
                switch ranges {
                case "": Self.bytes[...]
                case "bytes=100000-": Self.bytes[100_000...]
                default: Self.bytes[200_000...250_000]
                }
            if ranges.contains(",") {
                #expect(writer.bytes.firstRange(of: Array(whole)) != nil)
                #expect(writer.bytes.firstRange(of: Array(Self.bytes[0...20_000])) != nil)
            } else {
                #expect(writer.bytes == Array(whole))
            }
            #expect(try world.get(target).bytes == Self.bytes.reversed())
        }
    }

    @Test("bytes end if the rest can't be copied, and are never mixed with newer ones")
    func noCopy() throws {
        let value = StreamedValue(FailingValue(longest: 1), for: .seconds(3600))
        #expect(try value.read(0..<1).count == 1)
        value.copyUnreadRest()
        #expect(throws: FailingValue.Failure.self) { try value.read(0..<1) }
        // What was read already, and what isn't wanted, isn't copied.
        let last = StreamedValue(FailingValue(longest: 3), for: .seconds(3600))
        last.willRead([5..<10])
        #expect(try last.read(5..<8) == [5, 6, 7])
        last.copyUnreadRest()
        #expect(try last.read(8..<10) == [8, 9])
    }

    @Test("bytes stay unchanged when they are sent back as shown, also for an object named by its parent entity")
    func shownBytes() throws {
        try Self.each { world, document throws in
            let shown = try world.get(document)
            #expect(shown["scan"]?["href"]?.string?.hasPrefix("/api/Letter/") == true)
            #expect(try world.send(.put, document, shown.text).status == 200)
            let form = try #require(shown["scan"]?.serialized())
            #expect(try world.send(.patch, document, "{\"title\":\"Two\",\"scan\":\(form)}").status == 200)
            #expect(try world.get(document + "/scan").bytes == Self.bytes)
            let other = form.replacing("/scan", with: "/photo")
            #expect(try world.send(.patch, document, "{\"scan\":\(other)}").status == 422)
            let elsewhere = form.replacing("/api/Letter/", with: "/api/Letter/9")
            #expect(try world.send(.patch, document, "{\"scan\":\(elsewhere)}").status == 422)
        }
    }

    @Test("bytes have the media type of the attribute's user info, and only pictures are displayed inline")
    func types() throws {
        try Self.each { world, document throws in
            for (name, type, disposition) in [
                ("photo", "image/png", "inline"), ("page", "text/html; charset=utf-8", "attachment"),
                ("odd", "application/octet-stream", "attachment"), ("seal", "application/octet-stream", "attachment"),
            ] {
                _ = try world.send(.put, "\(document)/\(name)", body: .bytes(Array("<b>".utf8)))
                let answer = try world.get("\(document)/\(name)")
                #expect(answer.fields[.contentType] == type)
                #expect(answer.fields["Content-Disposition"]?.hasPrefix(disposition + ";") == true)
                #expect(answer.text == "<b>")
            }
        }
    }

    @Test(
        "bytes without a type in the model have the one that they begin like",
        arguments: [
            ("\u{89}PNG\r\n\u{1A}\n....", "image/png", "inline"), ("GIF89a", "image/gif", "inline"),
            ("GIF87a..", "image/gif", "inline"), ("\u{FF}\u{D8}\u{FF}\u{E0}", "image/jpeg", "inline"),
            ("RIFF....WEBPVP8 ", "image/webp", "inline"), ("....ftypavif", "image/avif", "inline"),
            ("%PDF-1.7", "application/pdf", "attachment"), ("<svg xmlns=''>", "image/svg+xml", "attachment"),
            ("\n<?xml version='1.0'?>\n<!-- a --> <svg>", "image/svg+xml", "attachment"),
            ("<html><svg>", "application/octet-stream", "attachment"),
            ("<svgx>", "application/octet-stream", "attachment"),
            ("RIFF....WAVE", "application/octet-stream", "attachment"), ("", "application/octet-stream", "attachment"),
            ("<!-- never ends", "application/octet-stream", "attachment"),
        ]
    )
    func sniffing(text: String, type: String, disposition: String) throws {
        try Self.each { world, document throws in
            let bytes = text.unicodeScalars.map { UInt8($0.value) }
            _ = try world.send(.put, document + "/scan", body: .bytes(bytes))
            for fields: HeaderFields in [[:], [.range: "bytes=1-2"]] {
                let answer = try world.get(document + "/scan", fields)
                #expect(answer.fields[.contentType] == type || answer.status == 416)
                #expect(
                    answer.fields["Content-Disposition"]?.hasPrefix(disposition + ";") == true || answer.status == 416
                )
                #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
                #expect(answer.status == 416 || answer.fields["Content-Security-Policy"]?.contains("sandbox") == true)
            }
        }
    }

    @Test(
        "the requested range of bytes is sent",
        arguments: [
            ("bytes=0-9", 0..<10), ("bytes=299990-", 299_990..<300_000), ("bytes=-5", 299_995..<300_000),
            ("bytes=100000-199999", 100_000..<200_000), ("bytes=299999-400000", 299_999..<300_000),
        ]
    )
    func part(range: String, expected: Range<Int>) throws {
        try Self.each { world, document throws in
            let answer = try world.get(document + "/scan", [.range: range])
            #expect(answer.status == 206)
            #expect(answer.bytes == Array(Self.bytes[expected]))
            #expect(
                answer.fields[.contentRange] == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/300000"
            )
        }
    }

    @Test("several ranges are sent as parts")
    func parts() throws {
        try Self.each { world, document throws in
            let answer = try world.get(document + "/scan", [.range: "bytes=0-2, 5-6,-1"])
            #expect(answer.status == 206)
            let type = try #require(answer.fields[.contentType].flatMap(MediaType.init))
            #expect(type.essence == "multipart/byteranges")
            let boundary = try #require(type["boundary"])
            var expected: [UInt8] = []
            for range in [0..<3, 5..<7, 299_999..<300_000] {
                expected += Array(
                    """
                    \(range.lowerBound == 0 ? "" : "\r\n")--\(boundary)\r\nContent-Type: application/octet-stream\r\n\
                    Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/300000\r\n\r\n
                    """.utf8
                )
                expected += Self.bytes[range]
            }
            #expect(answer.bytes == expected + Array("\r\n--\(boundary)--\r\n".utf8))
        }
    }

    @Test("the whole is sent if the ranges are malformed or longer than the whole")
    func wholeForParts() throws {
        try Self.each { world, document throws in
            for range in ["bytes=0-,0-,0-", "bytes=9-1", "pages=1-2", "bytes=", "bytes=0-1,x"] {
                let answer = try world.get(document + "/scan", [.range: range])
                #expect(answer.status == 200, "\(range)")
                #expect(answer.bytes.count == 300_000)
            }
        }
    }

    @Test("a range beyond the end is refused, with the length")
    func beyond() throws {
        try Self.each { world, document throws in
            for range in ["bytes=300000-", "bytes=-0"] {
                let answer = try world.get(document + "/scan", [.range: range])
                #expect(answer.status == 416)
                #expect(answer["code"]?.string == "range")
                #expect(answer.fields[.contentRange] == "bytes */300000")
            }
        }
    }

    @Test("If-Range sends ranges only of the matching state")
    func ifRange() throws {
        try Self.each { world, document throws in
            for (condition, status) in [("\"1\"", 206), ("\"2\"", 200), ("W/\"1\"", 200), ("nonsense", 200)] {
                let answer = try world.get(document + "/scan", [.range: "bytes=0-0", .ifRange: condition])
                #expect(answer.status == status, "\(condition)")
            }
        }
    }

    @Test("bytes can be read conditionally")
    func conditions() throws {
        try Self.each { world, document throws in
            let known = try world.get(document + "/scan", [.ifNoneMatch: "\"0\", \"1\""])
            #expect(known.status == 304)
            #expect(known.bytes.isEmpty)
            #expect(known.fields[.etag] == "\"1\"")
            #expect(try world.get(document + "/scan", [.ifNoneMatch: "\"2\""]).status == 200)
            #expect(try world.get(document + "/scan", [.ifMatch: "\"2\""]).status == 412)
            #expect(try world.get(document + "/scan", [.ifMatch: "\"1\""]).status == 200)
        }
    }

    @Test("missing bytes, and attributes that aren't binary, are 404")
    func missing() throws {
        try Self.each { world, document throws in
            let answer = try world.get(document + "/photo")
            #expect(answer.status == 404)
            #expect(answer["detail"]?.string?.hasPrefix("“photo” of “") == true)
            for method in [HTTPMethod.get, .put, .delete, .patch, .options] {
                let answer = try world.send(method, document + "/title")
                #expect(answer.status == 404 && answer.fields[.allow] == nil)
                #expect(answer["hint"]?.string?.contains("?select=title") == true)
            }
            #expect(try world.get("/api/documents/99/scan").status == 404)
            #expect(try world.get(document + "/stamp").status == 404)
            #expect(try world.get(document + "/scan?limit=1").status == 400)
        }
    }

    @Test("bytes are stored while they arrive, beyond the body limit, and the response has the new tag")
    func writing() throws {
        var options = APIOptions()
        options.bodyLimit = 1_000
        try Self.each(options: options) { world, document throws in
            let bytes = Array(Self.bytes.reversed())
            let body = HTTPRequestBody.stream(PiecewiseBody(bytes, size: 10_000))
            let answer = try world.send(.put, document + "/scan", body: body)
            #expect(answer.status == 204)
            #expect(answer.bytes.isEmpty)
            #expect(answer.fields[.etag] == "\"2\"")
            #expect(try world.get(document + "/scan").bytes == bytes)
            #expect(try world.get(document)["scan"]?["bytes"]?.int64 == 300_000)
            #expect(try world.send(.put, document + "/stamp", body: .bytes([7])).status == 204)
            #expect(try world.get(document + "/stamp").bytes == [7])
        }
    }

    @Test("empty bytes differ from missing ones")
    func empty() throws {
        try Self.each { world, document throws in
            #expect(try world.send(.put, document + "/photo", body: .none).status == 204)
            let answer = try world.get(document + "/photo")
            #expect(answer.status == 200)
            #expect(answer.bytes.isEmpty)
        }
    }

    @Test("bytes are written and removed only if If-Match matches")
    func ifMatch() throws {
        try Self.each { world, document throws in
            for method in [HTTPMethod.put, .delete] {
                let answer = try world.send(method, document + "/scan", body: .bytes([1]), fields: [.ifMatch: "\"7\""])
                #expect(answer.status == 412)
                #expect(answer["code"]?.string == "precondition")
            }
            #expect(try world.get(document + "/scan").bytes == Self.bytes)
            #expect(
                try world.send(.put, document + "/scan", body: .bytes([1]), fields: [.ifMatch: "\"1\""]).status == 204
            )
            #expect(try world.send(.delete, document + "/scan", body: .none, fields: [.ifMatch: "*"]).status == 204)
            #expect(try world.get(document + "/scan").status == 404)
        }
    }

    @Test("bytes aren't overwritten with If-None-Match, nor written in part")
    func overwriting() throws {
        try Self.each { world, document throws in
            let any: HeaderFields = [.ifNoneMatch: "*"]
            let path = document + "/scan"
            let answer = try world.send(.put, path, body: .bytes([1]), fields: any)
            #expect(answer.status == 412)
            #expect(try world.send(.put, path, body: .bytes([1]), fields: [.ifNoneMatch: "\"1\""]).status == 412)
            let part: HeaderFields = ["Content-Range": "bytes 0-0/5"]
            #expect(try world.send(.put, path, body: .bytes([1]), fields: part).status == 400)
            #expect(try world.get(path).bytes == Self.bytes)
            #expect(try world.send(.delete, path, body: .none).status == 204)
            #expect(try world.send(.put, path, body: .bytes([1]), fields: any).status == 204)
            #expect(try world.get(path).bytes == [1])
        }
    }

    @Test(
        "a form isn't stored as the value",
        arguments: ["multipart/form-data; boundary=b", "application/x-www-form-urlencoded"]
    )
    func forms(type: String) throws {
        try Self.each { world, document throws in
            let answer = try world.send(.put, document + "/scan", body: .bytes([1]), fields: [.contentType: type])
            #expect(answer.status == 415 && answer["hint"]?.string?.contains("-T FILE") == true)
            #expect(try world.get(document + "/scan").bytes == Self.bytes)
        }
    }

    @Test("a condition is necessary where preconditions are required")
    func required() throws {
        var options = APIOptions()
        options.requiresPreconditions = true
        try Self.each(options: options) { world, document throws in
            let answer = try world.send(.put, document + "/scan", body: .bytes([1]))
            #expect(answer.status == 428)
            #expect(answer["code"]?.string == "precondition-required")
            #expect(try world.get(document + "/scan").status == 200)
        }
    }

    @Test("bytes stay unchanged if the body breaks off")
    func brokenOff() throws {
        try Self.each { world, document throws in
            let body = HTTPRequestBody.stream(PiecewiseBody([1, 2, 3], size: 1, breaksOff: true))
            #expect(world.breakOff(.put, document + "/scan", body))
            #expect(try world.get(document + "/scan").bytes == Self.bytes)
        }
    }

    @Test("bytes of a missing object can't be written")
    func writingMissing() throws {
        try Self.each { world, document throws in
            #expect(try world.send(.put, "/api/documents/99/scan", body: .bytes([1])).status == 404)
            #expect(try world.send(.post, document + "/scan", body: .bytes([1])).status == 405)
        }
    }

    @Test("bytes are sent in small pieces")
    func pieces() throws {
        try Self.each { world, document throws in
            let response = world.api.respond(to: HTTPRequest(.get, document + "/scan"))
            guard case .stream(let length, let write) = response.body else {
                Issue.record("The body is no stream.")
                return
            }
            #expect(length == 300_000)
            final class Writer: HTTPBodyWriter {
                var largest = 0
                func write(_ bytes: [UInt8]) { largest = max(largest, bytes.count) }
            }
            let writer = Writer()
            try write(writer)
            #expect((1...65_536).contains(writer.largest))
        }
    }
}

/// Ten bytes, each its own place, of which only so many can be read at once.
private struct FailingValue: ValueReader {
    struct Failure: Error {}

    let longest: Int
    let size = 10
    let holdsState = true

    func read(_ range: Range<Int>) throws -> [UInt8] {
        guard range.count <= longest else { throw Failure() }
        return range.map { UInt8($0) }
    }
}
