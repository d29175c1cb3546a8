// SPDX-License-Identifier: Apache-2.0

// An import from its first row to its last relationship.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import SQLiteStore

/// Imports the rows of an input into a store or a server.
///
/// 1. Rows are saved in chunks, each completely or not at all. A store commits the import's position with each chunk; a
///    server receives each chunk under a key of its own. So an import that is repeated after a crash continues after
///    the last chunk.
/// 2. Rows that consist only of values are inserted by batch insertion. Rows with names, or with references by
///    values, are saved in transactions, objects first; forward references are set when all objects are saved.
/// 3. Memory holds at most a chunk. Everything else is in the journal.
final class ImportRun {
    struct Options {
        var isUpsert = false
        var isDryRun = false
        /// Whether a reference of the exporting store that no row has refers to the target's object.
        var linksExisting = false
        /// Whether objects keep their numbers of another store; nil means only if the target has no objects.
        var keepsIDs: Bool?
        var chunk: Int?
        /// The parameters that identify the import, in addition to its files.
        var words: [String] = []
    }

    struct Result {
        var rows = 0
        /// The number of rows that an earlier, interrupted run had imported.
        var skipped = 0
        /// How many new objects had references in another store, and how many of these keep them.
        var named = 0
        var kept = 0
        var badLines: [BadLine] = []
    }

    let entity: EntityDescription?
    var model: ManagedObjectModel { endpoint.model }
    var isUpsert: Bool { options.isUpsert }
    var isDryRun: Bool { options.isDryRun }
    var linksExisting: Bool { options.linksExisting }
    /// Whether rows have names that other rows may refer to.
    private(set) var hasNames = false
    /// Whether new objects keep their numbers of another store.
    private(set) var keepsIDs = false
    /// Whether rows have references as names, as in an export. Known when all rows have been indexed.
    var comesFromStore = false
    var journal: ImportJournal?
    var result = Result()
    /// The references found by unique values; in a dry run, empty if no object was found.
    var found: [String: String] = [:]
    /// The lookups for the next chunk, with empty references for missing objects.
    var asked: [String: String] = [:]
    /// The lookups for a chunk that was sent to a server and not confirmed, which must be rebuilt identically.
    private(set) var askedBefore: [String: String] = [:]
    /// The temporary names of the last saved objects, by their references.
    private(set) var told: [String: String] = [:]

    let endpoint: any Endpoint
    let input: ImportInput
    let bar: ProgressBar
    /// The path of this import's journal.
    private(set) var journalPath: String
    let interruption = Interruption()
    private let options: Options
    private var fingerprint = ""
    /// The end of an unconfirmed chunk. It is sent again identically, so that the server recognizes it.
    private(set) var sentBefore: Int64?

    init(
        _ input: ImportInput,
        into endpoint: any Endpoint,
        _ entity: EntityDescription?,
        _ options: Options,
        journal path: String,
        _ bar: ProgressBar
    ) {
        self.input = input
        self.endpoint = endpoint
        self.entity = entity
        self.options = options
        journalPath = path
        self.bar = bar
    }

    func run() throws -> Result {
        let sum = String(try input.fingerprint(), radix: 36)
        fingerprint = ([sum] + options.words).joined(separator: " ")
        journalPath += "-" + Array(fingerprint.utf8).sum
        hasNames = try input.hasNames()
        if isDryRun { return try dryRun() }
        let position = try begin()
        defer { removeUnusedJournal() }
        if hasNames { keepsIDs = try options.keepsIDs ?? targetWasEmpty() }
        do {
            try importRows(behind: position)
        } catch let error as BadLines {
            // A server that refused the first chunk has saved nothing.
            if !(endpoint is LocalEndpoint), try journal?.position == 0 { removeJournal() }
            throw error
        }
        try relate(behind: max(0, position - Self.firstLinkPosition))
        bar.end()
        return result
    }

    /// Removes the state of a finished import once its result was reported. Until then, a repetition imports nothing.
    func settle() throws {
        try sqlite?.removeMark(fingerprint)
        removeJournal()
    }

    // MARK: Position

    /// Positions from here on are those of relationships; smaller ones are those of rows.
    static let firstLinkPosition: Int64 = 1 << 48

    private var sqlite: SQLiteStore? { (endpoint as? LocalEndpoint)?.store as? SQLiteStore }

    private func begin() throws -> Int64 {
        let isLocal = endpoint is LocalEndpoint
        let committed = try sqlite?.mark(fingerprint)?.position
        if isLocal, committed == nil { ImportJournal.remove(journalPath) }
        if committed != nil, committed != 0, hasNames, !ImportJournal.exists(journalPath) {
            throw Failure(
                "A part of the input was imported already, but the file with the names of its objects is missing.",
                hint: "Import into a store without that part, or import another file with --upsert.",
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

    /// Removes the journal if nothing has been saved.
    private func removeUnusedJournal() {
        guard endpoint is LocalEndpoint else { return }
        do {
            guard try sqlite?.mark(fingerprint) == nil else { return }
        } catch {
            // The journal is kept if the position is unknown.
            return
        }
        removeJournal()
    }

    func removeJournal() {
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
        // An atomic store is rewritten with each save, so everything is saved at once.
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
            if let sentBefore, sentBefore < Self.firstLinkPosition { return last.number >= sentBefore }
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
        guard answer.isSuccess else { throw failure(answer, chunk) }
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
            let later = chunk.later.compactMap { item -> ImportJournal.DeferredReference? in
                let object = chunk.objects[item.object]
                guard let reference = reference(item.object) else { return nil }
                return ImportJournal.DeferredReference(
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
            // If references aren't kept, an equal one is a coincidence.
            guard keepsIDs else { return try journal.note(known, later, position: position) }
            kept = named.count { references[ImportChunk.temporaryName($0)] == chunk.objects[$0].object["_id"]?.string }
            try journal.note(known, later, position: position)
        }
        let answer = try transact(chunk.operations, at: position, noting: note)
        guard answer.isSuccess else { throw failure(answer, chunk.objects.map(\.row), chunk.places) }
        result.named += named.count
        result.kept += kept
    }

    /// Runs operations in one save. Names are recorded before the save, or, for a server, after it.
    func transact(
        _ operations: [JSONValue],
        at position: Int64,
        noting note: (([String: String]) throws -> Void)? = nil
    ) throws -> EndpointAnswer {
        let body = JSONValue.object(["operations": .array(operations)]).serializedBytes()
        var request = try post("/api/transaction", body, "application/json", at: position)
        request.fields[.prefer] = "return=minimal" + (isUpsert ? ", merge=object" : "")
        guard let local = endpoint as? LocalEndpoint else {
            try journal?.recordAsked(asked.merging(askedBefore) { first, _ in first }, position: position)
            let answer = try send(request, at: position)
            guard answer.isSuccess else { return answer }
            try note?(answer.json?["ids"]?.references ?? [:])
            try journal?.setPosition(position)
            asked = [:]
            askedBefore = [:]
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

    /// Runs a save that commits the position with it.
    private func saving(at position: Int64, _ body: () throws -> EndpointAnswer) throws -> EndpointAnswer {
        guard sqlite != nil, let local = endpoint as? LocalEndpoint else {
            let answer = try body()
            if answer.isSuccess, !(endpoint is LocalEndpoint) { try journal?.setPosition(position) }
            return answer
        }
        return try local.coordinator.marking(CommitMark(key: fingerprint, position: position), body)
    }

    /// Sends a chunk to be saved. Until the result is known, it is recorded as sent.
    private func send(_ request: HTTPRequest, at position: Int64) throws -> EndpointAnswer {
        guard !(endpoint is LocalEndpoint) else { return try endpoint.answer(request) }
        try journal?.recordSent(position)
        let answer = try endpoint.answer(request)
        if answer.isRefusal { try journal?.forgetSent() }
        if answer.isSuccess || answer.isRefusal { sentBefore = nil }
        return answer
    }

    /// A store identifies saved chunks by its mark, a server by the key.
    private func post(_ target: String, _ body: [UInt8], _ type: String, at position: Int64) throws -> HTTPRequest {
        var request = HTTPRequest(.post, target, fields: [.contentType: type], body: .bytes(body))
        if !(endpoint is LocalEndpoint) {
            request.fields["Idempotency-Key"] = "import-\(try openJournal().key)-\(position)"
        }
        return request
    }
}

extension ImportRow {
    /// Whether it can only contain values of attributes and references, so that the API can read it unchanged.
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

    /// The size limit of a row of a batch insertion.
    private static let plainLimit = 16 << 20
}

extension JSONValue {
    /// The members of an object with string values.
    fileprivate var references: [String: String] {
        Dictionary((object?.members ?? []).compactMap { member in member.value.string.map { (member.name, $0) } }) {
            first,
            _ in first
        }
    }
}

extension [UInt8] {
    /// A hash for file names.
    fileprivate var sum: String {
        String(reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 36)
    }
}
