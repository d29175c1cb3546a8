// SPDX-License-Identifier: Apache-2.0

// An import from its first row to its last relationship.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import SQLiteStore

/// Brings the rows of an input into a store or a server.
///
/// 1. Rows come in chunks, each of which is saved as a whole. A store commits with a chunk how far the import has come; to a server each
///    chunk goes under a key of its own. So what is begun again after a crash goes on behind the last chunk.
/// 2. Rows of nothing but values go through a batch insertion as they are. Those with names, or with references by values, go through
///    transactions, objects first; relationships to what comes later are set when all objects are there.
/// 3. In memory is never more than a chunk. What must be remembered is in the journal.
final class ImportRun {
    struct Options {
        var isUpsert = false
        var isDryRun = false
        /// Whether a reference of the store that the rows come from, which no row has, is one of the target.
        var linksExisting = false
        /// Whether objects keep the numbers that they had elsewhere; nil where it is for the target, whether it has objects.
        var keepsIDs: Bool?
        var chunk: Int?
        /// What tells this import from others besides its files.
        var words: [String] = []
    }

    struct Result {
        var rows = 0
        /// How many rows had been imported before, by a run that was ended.
        var skipped = 0
        /// How many new objects had references elsewhere, and how many of these keep them.
        var named = 0
        var kept = 0
        var badLines: [BadLine] = []
    }

    let entity: EntityDescription?
    var model: ManagedObjectModel { endpoint.model }
    var isUpsert: Bool { options.isUpsert }
    var isDryRun: Bool { options.isDryRun }
    var linksExisting: Bool { options.linksExisting }
    /// Whether rows have names that others may use.
    private(set) var hasNames = false
    /// Whether new objects keep the numbers that they had elsewhere.
    private(set) var keepsIDs = false
    /// Whether rows have references as names, as those of an export do. Known when all rows have been looked through.
    var comesFromStore = false
    var journal: ImportJournal?
    var result = Result()
    /// The references of objects that were asked for by their unique values; in a dry run empty where there was none.
    var found: [String: String] = [:]
    /// What was asked for the chunk that comes next, with the references, which are empty where there was no object.
    var asked: [String: String] = [:]
    /// The same of a chunk that was sent to a server, and may have come there: it is made again as it was.
    private(set) var askedBefore: [String: String] = [:]
    /// The temporary names of the objects that were saved last, or were to be, by the references that they got.
    private(set) var told: [String: String] = [:]

    let endpoint: any Endpoint
    let input: ImportInput
    let bar: ProgressBar
    /// Where the notes of this import are: beside those of others.
    private(set) var journalPath: String
    let interruption = Interruption()
    private let options: Options
    private var fingerprint = ""
    /// The end of a chunk that was sent to a server, and may have come there: it is sent again as it was, since a server knows it by that.
    private(set) var sentBefore: Int64?

    init(
        _ input: ImportInput,
        into endpoint: any Endpoint,
        _ entity: EntityDescription?,
        _ options: Options,
        journal path: String,
        _ bar: ProgressBar
    ) {
        (self.input, self.endpoint, self.entity, self.options) = (input, endpoint, entity, options)
        (journalPath, self.bar) = (path, bar)
    }

    func run() throws -> Result {
        let sum = String(try input.fingerprint(), radix: 36)
        fingerprint = ([sum] + options.words).joined(separator: " ")
        journalPath += "-" + Array(fingerprint.utf8).sum
        hasNames = try input.hasNames()
        if isDryRun { return try dryRun() }
        let position = try begin()
        defer { leaveNothingOfNothing() }
        if hasNames { keepsIDs = try options.keepsIDs ?? targetWasEmpty() }
        do {
            try importRows(behind: position)
        } catch let error as BadLines {
            // A server that has refused the first chunk has nothing of it.
            if !(endpoint is LocalEndpoint), try journal?.position == 0 { endNotes() }
            throw error
        }
        try relate(behind: max(0, position - Self.relating))
        bar.end()
        return result
    }

    /// Forgets an import that is done, once that has been said: until then the same command finds that all is there.
    func settle() throws {
        try sqlite?.removeMark(fingerprint)
        endNotes()
    }

    // MARK: Where it goes on

    /// Positions from this on are of relationships, those below of rows.
    static let relating: Int64 = 1 << 48

    private var sqlite: SQLiteStore? { (endpoint as? LocalEndpoint)?.store as? SQLiteStore }

    private func begin() throws -> Int64 {
        let isLocal = endpoint is LocalEndpoint
        let committed = try sqlite?.mark(fingerprint)?.position
        if isLocal, committed == nil { ImportJournal.remove(journalPath) }
        if committed != nil, committed != 0, hasNames, !ImportJournal.exists(journalPath) {
            throw Failure(
                "A part of this was imported already, and the file with the names of its objects is gone.",
                hint: "Import into a store without that part, or with --upsert another file.",
                code: "import.journal",
                file: journalPath
            )
        }
        if !isLocal || hasNames || committed != nil { _ = try openJournal() }
        let position = isLocal ? committed ?? 0 : try journal?.position ?? 0
        if !isLocal {
            sentBefore = try journal?.sent(behind: position)
            askedBefore = try journal?.asked(behind: position) ?? [:]
        }
        try journal?.forget(behind: position)
        return position
    }

    /// Whether the target had no objects when the import began.
    private func targetWasEmpty() throws -> Bool {
        let journal = try openJournal()
        if let known = try journal.wasEmpty { return known }
        let isEmpty = try endpoint.isEmpty()
        try journal.setWasEmpty(isEmpty)
        return isEmpty
    }

    /// Removes the notes of an import of which nothing is in the store.
    private func leaveNothingOfNothing() {
        guard endpoint is LocalEndpoint else { return }
        do {
            guard try sqlite?.mark(fingerprint) == nil else { return }
        } catch {
            // Who can't say how far it has come may have come far.
            return
        }
        endNotes()
    }

    func endNotes() {
        journal = nil
        ImportJournal.remove(journalPath)
    }

    func openJournal() throws -> ImportJournal {
        if let journal { return journal }
        let opened = try ImportJournal(journalPath, fingerprint: fingerprint)
        journal = opened
        return opened
    }

    // MARK: Rows

    var chunkSize: Int {
        guard let local = endpoint as? LocalEndpoint else { return options.chunk ?? 1_000 }
        // A store that is written as a whole is written once.
        if local.store.keepsRowsInMemory { return .max }
        return options.chunk ?? (hasNames ? 2_000 : 10_000)
    }

    private static let chunkBytes = 4 << 20

    private func importRows(behind position: Int64) throws {
        while let chunk = try nextChunk(behind: position) {
            try interruption.check()
            if !hasNames, let entity, chunk.allSatisfy(\.isPlain) {
                try insertPlainly(chunk, entity)
            } else {
                try insertGraph(chunk)
            }
            result.rows += chunk.count
            bar.show(result.rows, fraction: input.size > 0 ? Double(input.readBytes) / Double(input.size) : nil)
        }
    }

    private func nextChunk(behind position: Int64) throws -> [ImportRow]? {
        var chunk: [ImportRow] = []
        var bytes = 0
        let isBounded = chunkSize < .max
        func isFull() -> Bool {
            guard let last = chunk.last else { return false }
            if let sentBefore, sentBefore < Self.relating { return last.number >= sentBefore }
            return chunk.count >= chunkSize || (isBounded && bytes >= Self.chunkBytes)
        }
        while !isFull(), let row = try input.next() {
            guard row.number > position else {
                result.skipped += 1
                continue
            }
            chunk.append(row)
            bytes += row.bytes.count
        }
        return chunk.isEmpty ? nil : chunk
    }

    private func insertPlainly(_ chunk: [ImportRow], _ entity: EntityDescription) throws {
        var body: [UInt8] = []
        for row in chunk {
            body += row.bytes
            body.append(UInt8(ascii: "\n"))
        }
        let target = "/api/\(RequestTarget.encode(segment: entity.name))/batch-insert?result=status"
        var request = try post(target, body, "application/x-ndjson", at: chunk.last?.number ?? 0)
        if isUpsert { request.fields[.prefer] = "merge=object" }
        let position = chunk.last?.number ?? 0
        let answer = try saving(at: position) { try send(request, at: position) }
        guard answer.isFine else { throw failure(answer, chunk) }
    }

    private func insertGraph(_ rows: [ImportRow]) throws {
        let journal = try openJournal()
        let chunk = try ImportChunk(rows, self)
        guard chunk.badLines.isEmpty else { throw BadLines(lines: chunk.badLines) }
        let position = rows.last?.number ?? 0
        guard !chunk.operations.isEmpty else { return }
        let named = chunk.objects.indices.filter { chunk.references[$0] == nil && chunk.objects[$0].identity != nil }
        var kept = 0
        func note(_ references: [String: String]) throws {
            func reference(_ index: Int) -> String? {
                chunk.references[index] ?? references[ImportChunk.temporaryName(index)]
            }
            let called = chunk.names.map { name, place in (name: name, object: place.object, row: place.row) }
            // What has no name is known as well, so that no reference of another store is taken for it.
            let nameless = Set(chunk.objects.indices).subtracting(called.map(\.object)).map { index in
                (name: "r:\(chunk.objects[index].row.number)", object: index, row: chunk.objects[index].row.number)
            }
            let known = (called + nameless).compactMap { item in
                reference(item.object).map { (name: item.name, reference: $0, row: item.row) }
            }
            let later = chunk.later.compactMap { item -> ImportJournal.Later? in
                let object = chunk.objects[item.object]
                guard let reference = reference(item.object) else { return nil }
                return ImportJournal.Later(
                    number: 0,
                    reference: reference,
                    property: item.property,
                    entity: object.entity.name,
                    value: item.value,
                    row: object.row.number,
                    file: object.row.file,
                    line: object.row.line
                )
            }
            // Without being kept a reference may be the same by chance.
            guard keepsIDs else { return try journal.note(known, later, position: position) }
            kept = named.count { references[ImportChunk.temporaryName($0)] == chunk.objects[$0].object["_id"]?.string }
            try journal.note(known, later, position: position)
        }
        let answer = try transact(chunk.operations, at: position, noting: note)
        guard answer.isFine else { throw failure(answer, chunk.objects.map(\.row), chunk.places) }
        result.named += named.count
        result.kept += kept
    }

    /// Does operations in one save. What they make is noted before they are saved, or, where a server does that, when it has.
    func transact(
        _ operations: [JSONValue],
        at position: Int64,
        noting note: (([String: String]) throws -> Void)? = nil
    ) throws -> EndpointAnswer {
        let body = JSONValue.object(["operations": .array(operations)]).serializedBytes()
        var request = try post("/api/transaction", body, "application/json", at: position)
        request.fields[.prefer] = "return=minimal" + (isUpsert ? ", merge=object" : "")
        guard let local = endpoint as? LocalEndpoint else {
            try journal?.noteAsked(asked.merging(askedBefore) { first, _ in first }, position: position)
            let answer = try send(request, at: position)
            guard answer.isFine else { return answer }
            try note?(answer.json?["ids"]?.references ?? [:])
            try journal?.setPosition(position)
            (asked, askedBefore) = ([:], [:])
            return answer
        }
        asked = [:]
        told = [:]
        return try saving(at: position) {
            try local.answer(request) { names in
                told = Dictionary(names.map { ($1, $0) }) { first, _ in first }
                try note?(names)
            }
        }
    }

    /// Runs what saves, so that the position is committed with it.
    private func saving(at position: Int64, _ body: () throws -> EndpointAnswer) throws -> EndpointAnswer {
        guard sqlite != nil, let local = endpoint as? LocalEndpoint else {
            let answer = try body()
            if answer.isFine, !(endpoint is LocalEndpoint) { try journal?.setPosition(position) }
            return answer
        }
        return try local.coordinator.marking(CommitMark(key: fingerprint, position: position), body)
    }

    /// Asks for a chunk to be saved. That it was sent is noted for as long as nobody can say that it isn't there.
    private func send(_ request: HTTPRequest, at position: Int64) throws -> EndpointAnswer {
        guard !(endpoint is LocalEndpoint) else { return try endpoint.answer(request) }
        try journal?.noteSent(position)
        let answer = try endpoint.answer(request)
        if answer.isRefusal { try journal?.forgetSent() }
        if answer.isFine || answer.isRefusal { sentBefore = nil }
        return answer
    }

    /// A store knows by its mark what it has; a server knows it by the key.
    private func post(_ target: String, _ body: [UInt8], _ type: String, at position: Int64) throws -> HTTPRequest {
        var request = HTTPRequest(.post, target, fields: [.contentType: type], body: .bytes(body))
        if !(endpoint is LocalEndpoint) {
            request.fields["Idempotency-Key"] = "import-\(try openJournal().key)-\(position)"
        }
        return request
    }
}

extension ImportRow {
    /// Whether nothing in it but values of attributes and references can be, so that the API can read it as it is.
    fileprivate var isPlain: Bool {
        guard badLine == nil, bytes.count <= Self.plainLimit else { return false }
        var before = UInt8(ascii: " ")
        for (offset, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "{"), offset > 0 { return false }
            if byte == UInt8(ascii: "_"), before == UInt8(ascii: "\"") { return false }
            before = byte
        }
        return bytes.first == UInt8(ascii: "{")
    }

    /// The most bytes that a row of a batch insertion has.
    private static let plainLimit = 16 << 20
}

extension JSONValue {
    /// The members of an object that are texts.
    fileprivate var references: [String: String] {
        Dictionary((object?.members ?? []).compactMap { member in member.value.string.map { (member.name, $0) } }) {
            first,
            _ in first
        }
    }
}

extension [UInt8] {
    /// A sum for names.
    fileprivate var sum: String {
        String(reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 36)
    }
}
