// SPDX-License-Identifier: Apache-2.0

// An import from its first row to its last relationship.

import Basics
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph

/// Imports the rows of an input into a store or a server, by requests to the API of either.
///
/// 1. Rows are saved in chunks, each completely or not at all, under a key of its own: the target keeps the answer in the
///    same transaction. So an import that is repeated after a crash continues with the first chunk that has no answer.
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
    var result = Result()

    let endpoint: any Endpoint
    let input: ImportInput
    let bar: ProgressBar
    let interruption = Interruption()
    private let options: Options
    /// The path of this import's journal.
    private var journalPath: String
    private var journal: ImportJournal?
    /// The end of a chunk that an earlier run sent without getting an answer. It is sent again as it was.
    private(set) var sent: Int64?

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
        input.interruption = interruption
    }

    func run() throws -> Result {
        let words = [String(try input.fingerprint(), radix: 36)] + endpoint.stores + options.words
        journalPath += "-" + String(words.joined(separator: " ").utf8.fnv1a, radix: 36)
        hasNames = try input.hasNames()
        if isDryRun || !endpoint.recordsAnswer { ImportJournal.remove(journalPath) }
        if isDryRun { return try dryRun() }
        let journal = try openJournal()
        defer { endIfNothingIsSaved() }
        let position = try journal.position
        sent = try journal.sent
        if position > 0, try endpoint.hasAnswer(to: key(position)) == false { throw otherState }
        if hasNames { keepsIDs = try options.keepsIDs ?? targetWasEmpty(journal) }
        try importRows(behind: position)
        try relate(behind: max(0, position - Self.firstLinkPosition))
        bar.end()
        return result
    }

    /// Removes the state of a finished import once its result was reported. Until then, a repetition imports nothing.
    func settle() throws {
        guard journal != nil else { return }
        let keys = try key()
        removeJournal()
        try endpoint.removeAnswers(to: keys)
    }

    func openJournal() throws -> ImportJournal {
        if let journal { return journal }
        let opened = try ImportJournal(journalPath)
        journal = opened
        return opened
    }

    func removeJournal() {
        journal = nil
        ImportJournal.remove(journalPath)
    }

    /// Removes the journal of an import that can't be continued.
    private func endIfNothingIsSaved() {
        do {
            guard try !endpoint.recordsAnswer || isNothingSaved() else { return }
        } catch {
            // The journal is kept if the position is unknown.
            return
        }
        removeJournal()
    }

    /// Whether it is certain that no chunk is saved.
    private func isNothingSaved() throws -> Bool {
        guard let journal, try journal.position == 0 else { return false }
        guard let sent = try journal.sent else { return true }
        return try endpoint.hasAnswer(to: key(sent)) == false
    }

    private var otherState: Failure {
        Failure(
            "A part of this was imported already, and the store isn't as it was then.",
            hint:
                "Without the file the import starts from the beginning: remove it if the store has nothing of that part.",
            code: "import.journal",
            file: journalPath
        )
    }

    /// Whether the target had no objects when the import began.
    private func targetWasEmpty(_ journal: ImportJournal) throws -> Bool {
        if let known = try journal.wasEmpty { return known }
        let isEmpty = try endpoint.isEmpty()
        try journal.setWasEmpty(isEmpty)
        return isEmpty
    }

    // MARK: Position

    /// Positions from here on are those of relationships; smaller ones are those of rows.
    static let firstLinkPosition: Int64 = 1 << 48

    /// The key of the request that ends at a position, or the beginning of all keys.
    private func key(_ position: Int64? = nil) throws -> String {
        "import-\(try openJournal().key)-\(position.map(String.init) ?? "")"
    }

    var prefer: String { "return=minimal" + (isUpsert ? ", merge=object" : "") }

    /// Sends a chunk to be saved. Until the result is known, it is recorded as sent.
    private func save(_ target: String, _ body: [UInt8], _ type: String, at position: Int64) throws -> EndpointAnswer {
        let journal = try openJournal()
        var request = HTTPRequest(.post, target, fields: [.contentType: type, .prefer: prefer], body: .bytes(body))
        if endpoint.recordsAnswer { request.fields["Idempotency-Key"] = try key(position) }
        try journal.recordSent(position)
        let answer = try endpoint.answer(request)
        if answer.isRefusal { try journal.forgetSent() }
        if answer.isSuccess || answer.isRefusal { sent = nil }
        return answer
    }

    // MARK: Rows

    var chunkSize: Int { endpoint.chunkSize(options.chunk, hasNames: hasNames) }

    static let chunkBytes = 4 << 20

    private func importRows(behind position: Int64) throws {
        while let chunk = try nextChunk(behind: position), let last = chunk.last?.number {
            try interruption.check()
            if !hasNames, let entity, chunk.allSatisfy(\.isPlain) {
                try insertPlainly(chunk, entity, at: last)
            } else {
                try insertGraph(chunk, at: last)
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
            if let sent, sent < Self.firstLinkPosition { return last.number >= sent }
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

    private func insertPlainly(_ chunk: [ImportRow], _ entity: EntityDescription, at position: Int64) throws {
        var body: [UInt8] = []
        for row in chunk {
            body += row.bytes
            body.append(UInt8(ascii: "\n"))
        }
        let target = "/api/\(RequestTarget.encode(segment: entity.name))/batch-insert?result=status"
        let answer = try save(target, body, "application/x-ndjson", at: position)
        guard answer.isSuccess else { throw failure(answer, chunk) }
        try openJournal().noteSaved(position)
    }

    private func insertGraph(_ rows: [ImportRow], at position: Int64) throws {
        var chunk = try compose(rows)
        guard var answer = try transact(chunk, at: position) else { return }
        if answer.hasUnresolvedReference, chunk.refersByValues, try !openJournal().isIndexed {
            // The values may be those of later rows.
            try indexRows()
            chunk = try compose(rows)
            answer = try transact(chunk, at: position) ?? answer
        }
        guard answer.isSuccess else { throw failure(answer, chunk.rows) }
        let json = answer.json
        let references = json?["ids"]?.references ?? [:]
        let updated = Set(json?["updated"]?.array?.compactMap(\.string) ?? [])
        try openJournal().noteSaved(position, chunk.entries(references, updated: updated))
        for (index, object) in chunk.objects.enumerated() where object.identity != nil {
            let name = ImportChunk.temporaryName(index)
            guard !updated.contains(name) else { continue }
            result.named += 1
            // If references aren't kept, an equal one is a coincidence.
            if keepsIDs, references[name] == object.id { result.kept += 1 }
        }
    }

    /// Makes operations of rows. They are made of the same state of the journal as a whole, which is that of the request if
    /// it is repeated: either no rows are indexed, or all.
    private func compose(_ rows: [ImportRow]) throws -> ImportChunk {
        do {
            return try ImportChunk(rows, self)
        } catch is ImportChunk.IndexNeeded {
            try indexRows()
            return try ImportChunk(rows, self)
        }
    }

    /// Saves a chunk, or returns nil if there is nothing to save, since all of it was saved early.
    private func transact(_ chunk: ImportChunk, at position: Int64) throws -> EndpointAnswer? {
        guard chunk.badLines.isEmpty else { throw BadLines(lines: chunk.badLines) }
        return chunk.operations.isEmpty ? nil : try transact(chunk.operations, at: position)
    }

    /// Runs operations in one save.
    func transact(_ operations: [JSONValue], at position: Int64) throws -> EndpointAnswer {
        let body = JSONValue.object(["operations": .array(operations)]).serializedBytes()
        return try save("/api/transaction", body, "application/json", at: position)
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
