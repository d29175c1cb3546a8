// SPDX-License-Identifier: Apache-2.0

// The requests of imports, and what failed imports leave behind.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Requests of imports")
struct ImportRequestTests {
    private static let model = #"""
        {"entities": {
          "User": {"attributes": {"name": "String", "mail": "String"}, "unique": ["mail"],
            "relationships": {"posts": {"toMany": "Post", "inverse": "author"}}},
          "Post": {"attributes": {"slug": "String", "text": "String?"}, "unique": ["slug"],
            "relationships": {"author": {"to": "User", "inverse": "posts"}, "reviewer": "User?"}}
        }}
        """#

    /// A target that records the requests to it, and may fail.
    private final class RecordingEndpoint: Endpoint {
        enum Fault: Equatable {
            /// The answer to a request, counted from 1, isn't delivered.
            case lostAnswer(Int)
            /// Requests are answered with an error that isn't a refusal.
            case error
        }

        struct LostAnswer: Error {}

        private(set) var requests: [String] = []
        private let base: LocalEndpoint
        private let fault: Fault?

        init(_ base: LocalEndpoint, fault: Fault? = nil) {
            self.base = base
            self.fault = fault
        }

        var model: ManagedObjectModel { base.model }
        var entities: [EntityDescription] { base.entities }
        var name: String { base.name }
        var stores: [String] { base.stores }
        var recordsAnswer: Bool { base.recordsAnswer }

        func chunkSize(_ wanted: Int?, hasNames: Bool) -> Int { base.chunkSize(wanted, hasNames: hasNames) }
        func hasAnswer(to key: String) throws -> Bool? { try base.hasAnswer(to: key) }
        func removeAnswers(to keys: String) throws { try base.removeAnswers(to: keys) }

        func send(_ request: HTTPRequest, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer {
            requests.append("\(request.method) \(request.target)")
            if fault == .error, request.method == .post { return EndpointAnswer(status: .internalServerError) }
            let answer = try base.send(request, take)
            if fault == .lostAnswer(requests.count) { throw LostAnswer() }
            return answer
        }
    }

    private static func inFolder(_ body: (_ folder: String, _ store: StoreLocation) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Model.json")
            let users = (1...50).map { #"{"name":"u\#($0)","mail":"\#($0)@example.org"}"# }.joined(separator: "\n")
            try Files.write(users, to: folder + "/users.ndjson")
            try body(folder, StoreLocation(argument: folder + "/s.sqlite"))
        }
    }

    /// Imports a file of posts, and returns the requests.
    private static func requests(
        _ file: String,
        to store: StoreLocation,
        isUpsert: Bool = false,
        isDryRun: Bool = false
    ) throws -> (requests: [String], result: ImportRun.Result) {
        var options = ImportRun.Options()
        options.isUpsert = isUpsert
        options.isDryRun = isDryRun
        let endpoint = RecordingEndpoint(try EndpointChoice.store(store, model: nil, isReadOnly: false))
        let result = try run(file, "Post", into: endpoint, store, options)
        return (endpoint.requests, result)
    }

    private static func run(
        _ file: String,
        _ entity: String,
        into endpoint: RecordingEndpoint,
        _ store: StoreLocation,
        _ options: ImportRun.Options
    ) throws -> ImportRun.Result {
        let entity = endpoint.model.entity(named: entity)
        let input = try ImportInput([file], nil, [], entity, endpoint.model, isAlone: true)
        let bar = ProgressBar("Importing", isWanted: false)
        let run = ImportRun(input, into: endpoint, entity, options, journal: store.path + "-import", bar)
        let result = try run.run()
        try run.settle()
        return result
    }

    /// Runs an import until the answer to a request is lost, as if the process were killed before it knows the result.
    private static func lose(
        _ request: Int,
        _ file: String,
        _ entity: String,
        to store: StoreLocation,
        _ options: ImportRun.Options
    ) throws {
        let base = try EndpointChoice.store(store, model: nil, isReadOnly: false)
        #expect(throws: RecordingEndpoint.LostAnswer.self) {
            let endpoint = RecordingEndpoint(base, fault: .lostAnswer(request))
            _ = try run(file, entity, into: endpoint, store, options)
        }
    }

    private static func create(_ store: StoreLocation, _ folder: String) throws {
        try Files.write("", to: folder + "/none.ndjson")
        let words = ["import", store.path, folder + "/none.ndjson", "--model", folder + "/Model.json"]
        #expect(Program.run(words, on: .plain).status == .fine)
    }

    private static func table(_ store: StoreLocation, _ columns: String) -> [Substring] {
        let words = ["store", "query", store.path, "Post", "--select", columns, "--sort", "slug", "--csv"]
        return Array(Program.run(words, on: .plain).output.split(separator: "\n").dropFirst())
    }

    @Test(
        "references by unique values, and upserts, need no request but that of their chunk",
        arguments: [false, true]
    )
    func chunks(isUpsert: Bool) throws {
        try Self.inFolder { folder, store in
            let users = ["import", store.path, folder + "/users.ndjson", "--entity", "User"]
            #expect(Program.run(users + ["--model", folder + "/Model.json"], on: .plain).status == .fine)
            let posts = (1...200).map { #"{"slug":"p\#($0)","author":{"mail":"\#($0 % 50 + 1)@example.org"}}"# }
            try Files.write(posts.joined(separator: "\n"), to: folder + "/posts.ndjson")
            for round in 1...(isUpsert ? 2 : 1) {
                let (requests, result) = try Self.requests(folder + "/posts.ndjson", to: store, isUpsert: isUpsert)
                #expect(requests == ["POST /api/transaction"])
                #expect(result.rows == 200, "\(round)")
            }
            #expect(Self.table(store, "slug,author.name").contains("p7,u8"))
            #expect(Self.table(store, "slug").count == 200)
        }
    }

    @Test("unique values of later lines are found after one refused request")
    func laterValues() throws {
        try Self.inFolder { folder, store in
            let lines = """
                {"_entity":"Post","slug":"a","author":{"mail":"x@example.org"},"reviewer":{"mail":"y@example.org"}}
                {"_entity":"Post","slug":"b","author":{"mail":"y@example.org"},"reviewer":{"mail":"x@example.org"}}
                {"_entity":"User","name":"x","mail":"x@example.org"}
                {"_entity":"User","name":"y","mail":"y@example.org"}
                """
            try Files.write(lines, to: folder + "/in.ndjson")
            for chunk in ["1", "2", "100"] {
                let store = "\(folder)/\(chunk).sqlite"
                let words = [
                    "import", store, folder + "/in.ndjson", "--model", folder + "/Model.json", "--chunk", chunk,
                ]
                let done = Program.run(words, on: .plain)
                #expect(done.output.hasPrefix("Imported 4 objects"), "\(done)")
                let location = try StoreLocation(argument: store)
                #expect(Self.table(location, "slug,author.name,reviewer.name") == ["a,x,y", "b,y,x"])
            }
        }
    }

    @Test("a dry run finds all bad lines of 500 with one request")
    func dryRun() throws {
        try Self.inFolder { folder, store in
            let users = ["import", store.path, folder + "/users.ndjson", "--entity", "User"]
            #expect(Program.run(users + ["--model", folder + "/Model.json"], on: .plain).status == .fine)
            let faults = [
                3: #""author":{"mail":"no@example.org"}"#, 5: #""text":"x""#, 7: #""author":"User/1","text":5"#,
                9: #""author":"User/1","test":"x""#,
            ]
            let posts = (1...500).map { number in
                #"{"slug":"p\#(number)",\#(faults[number % 25] ?? #""author":"User/1""#)}"#
            }
            try Files.write(posts.joined(separator: "\n"), to: folder + "/posts.ndjson")
            let (requests, result) = try Self.requests(folder + "/posts.ndjson", to: store, isDryRun: true)
            #expect(requests == ["POST /api/transaction?dryRun=true"])
            #expect(result.badLines.count == 80)
            #expect(Set(result.badLines.map(\.line)) == Set((1...500).filter { faults[$0 % 25] != nil }))
        }
    }

    @Test("more errors than an answer has need further requests, each without the lines that are known to be bad")
    func manyErrors() throws {
        try Self.inFolder { folder, store in
            let users = ["import", store.path, folder + "/users.ndjson", "--entity", "User"]
            #expect(Program.run(users + ["--model", folder + "/Model.json"], on: .plain).status == .fine)
            let posts = (1...500).map { #"{"slug":"p\#($0)"\#($0 % 2 == 0 ? #","author":"User/1""# : "")}"# }
            try Files.write(posts.joined(separator: "\n"), to: folder + "/posts.ndjson")
            let (requests, result) = try Self.requests(folder + "/posts.ndjson", to: store, isDryRun: true)
            #expect(requests.count == 3)
            #expect(result.badLines.map(\.line).sorted() == (1...500).filter { $0 % 2 == 1 })
        }
    }

    @Test("a dry run reports all errors of lines with several, if there are more than an answer has")
    func allErrors() throws {
        try Self.inFolder { folder, store in
            try Self.create(store, folder)
            let lines = (1...300).map { #"{"slug":\#($0),"test":1}"# }
            try Files.write(lines.joined(separator: "\n"), to: folder + "/posts.ndjson")
            let (requests, result) = try Self.requests(folder + "/posts.ndjson", to: store, isDryRun: true)
            let found = result.badLines.map { "\($0.line) \($0.property ?? "") \($0.code)" }
            let expected = (1...300).flatMap { ["\($0) slug type", "\($0) test unknown", "\($0) author required"] }
            #expect(Set(found) == Set(expected))
            #expect(requests.count < 60)
        }
    }

    @Test("a dry run sends as many objects at once as the import, and at most some megabytes")
    func largeRows() throws {
        try Self.inFolder { folder, store in
            try Self.create(store, folder)
            func requests(_ size: Int, chunk: Int? = nil) throws -> Int {
                let lines = (1...10).map { number in
                    #"{"slug":"\#(number)","text":"\#(String(repeating: "x", count: number == 1 ? size : 1))"}"#
                }
                try Files.write(lines.joined(separator: "\n"), to: folder + "/posts.ndjson")
                let endpoint = RecordingEndpoint(try EndpointChoice.store(store, model: nil, isReadOnly: false))
                var options = ImportRun.Options()
                options.isDryRun = true
                options.chunk = chunk
                let result = try Self.run(folder + "/posts.ndjson", "Post", into: endpoint, store, options)
                #expect(result.rows == 10 && result.badLines.count == 10)
                return endpoint.requests.count
            }
            #expect(try requests(1) == 1)
            #expect(try requests(1, chunk: 4) == 3)
            #expect(try requests(4_300_000) == 2)
        }
    }

    @Test("a dry run reports other errors of lines that repeat unique values, and counts malformed lines")
    func repeatedLines() throws {
        try Self.inFolder { folder, store in
            try Self.create(store, folder)
            let lines = """
                {"name":"a","mail":"m"}
                {"name":5,"mail":"m"}
                {"name":"c","mail":"m"}
                """
            try Files.write(lines, to: folder + "/in.ndjson")
            let words = ["import", store.path, folder + "/in.ndjson", "--entity", "User", "--dry-run"]
            let tried = Program.run(words, on: .plain).output.split(separator: "\n").map { line in
                String(line.hasPrefix(folder) ? line.dropFirst(folder.count + 1) : line)
            }
            #expect(
                tried == [
                    "in.ndjson:2: Values must be unique, but line 1 has the same. (unique)",
                    "in.ndjson:2: name: name takes a string, not 5. (type)",
                    "in.ndjson:3: Values must be unique, but line 1 has the same. (unique)",
                    "2 bad lines of 3 objects.",
                    "With --upsert, lines update the objects that have their unique values.",
                ]
            )
            try Files.write("name,mail\na\n\"b", to: folder + "/in.csv")
            let table = Program.run(
                ["import", store.path, folder + "/in.csv", "--entity", "User", "--dry-run"],
                on: .plain
            )
            #expect(table.output.hasSuffix("2 bad lines of 2 objects."), "\(table)")
        }
    }

    // MARK: Interruptions

    @Test("an import continues after its store was served for longer than answers are kept", arguments: [1, 2])
    func served(lost: Int) throws {
        try Self.inFolder { folder, store in
            try Self.create(store, folder)
            var options = ImportRun.Options()
            options.chunk = 20
            try Self.lose(lost, folder + "/users.ndjson", "User", to: store, options)
            do {
                let opened = try EndpointChoice.store(store, model: nil, isReadOnly: false)
                var served = APIOptions()
                served.answerLifetime = .zero
                let api = try API(opened.coordinator, options: served)
                for number in 1...30 {
                    let body = #"{"name":"s","mail":"served \#(number)"}"#
                    var request = HTTPRequest(.post, "/api/User", body: .bytes(Array(body.utf8)))
                    request.fields = [.contentType: "application/json", "Idempotency-Key": "\(number)"]
                    #expect(api.respond(to: request).status == .created)
                }
            }
            let endpoint = RecordingEndpoint(try EndpointChoice.store(store, model: nil, isReadOnly: false))
            let result = try Self.run(folder + "/users.ndjson", "User", into: endpoint, store, options)
            #expect(result.rows + result.skipped == 50)
            let query = ["store", "query", store.path, "User", "--select", "mail", "--csv"]
            #expect(Program.run(query, on: .plain).output.split(separator: "\n").count == 1 + 30 + 50)
        }
    }

    @Test(
        "unique values of later lines are found if names of the same line need the index of lines",
        arguments: [1, 100]
    )
    func laterValuesAndNames(chunk: Int) throws {
        try Self.inFolder { folder, store in
            let lines = """
                {"_entity":"Post","slug":"a","author":{"mail":"x@example.org"},"reviewer":"y"}
                {"_id":"y","_entity":"User","name":"y","mail":"y@example.org"}
                {"_entity":"User","name":"x","mail":"x@example.org"}
                """
            try Files.write(lines, to: folder + "/in.ndjson")
            let words = ["import", store.path, folder + "/in.ndjson", "--model", folder + "/Model.json"]
            let done = Program.run(words + ["--chunk", "\(chunk)"], on: .plain)
            #expect(done.output.hasPrefix("Imported 3 objects"), "\(done)")
            #expect(Self.table(store, "slug,author.name,reviewer.name") == ["a,x,y"])
        }
    }

    @Test("a chunk is composed again as it was sent, although the lines are indexed meanwhile")
    func composedAgain() throws {
        try Self.inFolder { folder, store in
            let users = ["import", store.path, folder + "/users.ndjson", "--entity", "User"]
            #expect(Program.run(users + ["--model", folder + "/Model.json"], on: .plain).status == .fine)
            let lines = """
                {"_id":"p","slug":"a","author":{"mail":"7@example.org"},"reviewer":"y"}
                {"_id":"y","_entity":"User","name":"y","mail":"y@example.org"}
                {"_id":"z","_entity":"User","name":"seven","mail":"7@example.org"}
                """
            try Files.write(lines, to: folder + "/in.ndjson")
            var options = ImportRun.Options()
            options.chunk = 1
            options.isUpsert = true
            // Otherwise, the first request asks whether the store is empty.
            options.keepsIDs = false
            try Self.lose(1, folder + "/in.ndjson", "Post", to: store, options)
            let recorded = RecordingEndpoint(try EndpointChoice.store(store, model: nil, isReadOnly: false))
            let result = try Self.run(folder + "/in.ndjson", "Post", into: recorded, store, options)
            #expect(result.rows == 3)
            #expect(Self.table(store, "slug,author.name,reviewer.name") == ["a,seven,y"])
        }
    }

    @Test("an import that fails before anything is saved leaves no journal, and one that may have saved something does")
    func leftJournal() throws {
        try Self.inFolder { folder, store in
            try Self.create(store, folder)
            let options = ImportRun.Options()
            func journals() throws -> [String] { try Self.files(folder).filter { $0.contains("-import-") } }
            let base = try EndpointChoice.store(store, model: nil, isReadOnly: false)
            #expect(throws: Failure.self) {
                let endpoint = RecordingEndpoint(base, fault: .error)
                _ = try Self.run(folder + "/users.ndjson", "User", into: endpoint, store, options)
            }
            #expect(try journals().isEmpty)
            try Self.lose(1, folder + "/users.ndjson", "User", to: store, options)
            #expect(try !journals().isEmpty)
        }
    }

    /// All files of a folder except the input.
    private static func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            !["Model.json", "users.ndjson", "bad.ndjson"].contains($0)
        }
    }

    @Test(
        "a failed import leaves no store behind where there was none",
        arguments: ["users.ndjson", "bad.ndjson", "missing.ndjson"]
    )
    func leftStore(file: String) throws {
        try Self.inFolder { folder, store in
            try Files.write(#"{"name":"n","mail":5}"# + "\n", to: folder + "/bad.ndjson")
            let entity = file == "users.ndjson" ? "Usr" : "User"
            let words = [
                "import", store.path, "\(folder)/\(file)", "--entity", entity, "--model", folder + "/Model.json",
            ]
            let failed = Program.run(words, on: .plain)
            #expect(failed.status == .problems, "\(failed)")
            #expect(try Self.files(folder) == [])
        }
    }

    @Test("a failed import leaves a store with its objects, and an empty store that was there")
    func keptStore() throws {
        try Self.inFolder { folder, store in
            let words = ["import", store.path, "--entity", "User", "--model", folder + "/Model.json", "--chunk", "1"]
            try Files.write(#"{"name":"n","mail":"n"}"# + "\n{}\n", to: folder + "/bad.ndjson")
            #expect(Program.run(words + [folder + "/bad.ndjson"], on: .plain).status == .problems)
            #expect(outcrop("export", store.path).output.contains("\"mail\":\"n\""))
            let empty = folder + "/empty.sqlite"
            try Files.write("", to: folder + "/none.ndjson")
            let made = outcrop("import", empty, folder + "/none.ndjson", "--model", folder + "/Model.json")
            #expect(made.status == .fine, "\(made)")
            let failed = outcrop("import", empty, folder + "/missing.ndjson")
            #expect(failed.status == .problems)
            #expect(outcrop("export", empty).status == .fine)
        }
    }

    @Test("an import into a missing store says how to create one", arguments: ["s.sqlite", "s.xml"], [true, false])
    func noModel(name: String, isDryRun: Bool) throws {
        try Self.inFolder { folder, _ in
            let words = ["import", "\(folder)/\(name)", folder + "/users.ndjson", "--entity", "User"]
            let failed = Program.run(words + (isDryRun ? ["--dry-run"] : []), on: .plain)
            #expect(failed.status == .problems)
            #expect(failed.errors.contains("\(name): The file doesn't exist."), "\(failed)")
            #expect(failed.errors.contains("To create a store there, name its model: --model FILE"), "\(failed)")
            let left = try Self.files(folder)
            #expect(left.isEmpty)
        }
    }

    @Test("a host with a port in place of a file gets the hint at http://")
    func serverWithoutScheme() throws {
        try Self.inFolder { folder, _ in
            let words = ["import", "localhost:8080", folder + "/users.ndjson", "--entity", "User"]
            let failed = Program.run(words, on: .plain)
            #expect(
                failed.errors.contains("A server's address begins with http://. To create a store there"),
                "\(failed)"
            )
        }
    }

    @Test("an interrupted import doesn't continue in a store of an earlier state")
    func earlierState() throws {
        try Self.inFolder { folder, store in
            let words = ["import", store.path, folder + "/users.ndjson", "--entity", "User", "--chunk", "20"]
            try Files.write(#"{"name":"n","mail":"n"}"# + "\n", to: folder + "/bad.ndjson")
            let first = ["import", store.path, folder + "/bad.ndjson", "--entity", "User"]
            #expect(Program.run(first + ["--model", folder + "/Model.json"], on: .plain).status == .fine)
            let copy = folder + "/copy.sqlite"
            #expect(outcrop("store", "backup", store.path, copy).status == .fine)
            // Ends before its state is removed.
            let unheard = Program.run(words, on: .plain) { _ in throw OutputFailure(reason: "the disk is full") }
            #expect(unheard.status == .problems)
            try FileManager.default.removeItem(atPath: store.path)
            try FileManager.default.moveItem(atPath: copy, toPath: store.path)
            let refused = Program.run(words, on: .plain)
            #expect(refused.status == .problems && refused.errors.contains("isn't as it was then"), "\(refused)")
            let notes = try Self.files(folder).filter { $0.contains("-import-") }
            for file in notes { try FileManager.default.removeItem(atPath: "\(folder)/\(file)") }
            #expect(Program.run(words, on: .plain).output.hasPrefix("Imported 50 objects"))
        }
    }
}
