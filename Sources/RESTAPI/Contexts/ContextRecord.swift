// SPDX-License-Identifier: Apache-2.0

// The file format of an editing context.

import Files
import FoundationEssentials
import JSON
import ObjectGraph
import SourceText

/// A context's settings, its pending changes, and the names given in it.
struct ContextRecord: Sendable {
    let number: Int
    let settings: ContextSettings
    let parent: Int?
    let created: Date
    /// Identifies the temporary IDs of the context's family.
    let namespace: UUID
    /// The last temporary number, and the URIs of objects that became permanent.
    var lastTemporaryNumber: UInt32 = 0
    var permanentURIs: [UInt32: String] = [:]
    /// The number of saves. The stores have a note for each save of a root context.
    var saves = 0
    var answers = ContextAnswers()
    /// Empty if nothing is pending; otherwise a full archive, followed by the archives of additions.
    var archives: [ContextArchive] = []
}

extension ContextRecord {
    /// An addition to a context's file, written when its pending changes have changed.
    struct Addition {
        let lastTemporaryNumber: UInt32
        let answer: ContextAnswer?
        let archive: ContextArchive

        /// A line of JSON and the archive.
        var bytes: [UInt8] {
            var members: JSONObject = [
                "lastTemporary": .integer(lastTemporaryNumber), "bytes": .integer(archive.bytes.count),
            ]
            if let answer { members["answer"] = answer.json }
            return JSONValue.object(members).serializedBytes() + [0x0A] + archive.bytes
        }
    }

    /// A readable line of JSON and the archive. Additions follow.
    var bytes: [UInt8] {
        var members: [(String, JSONValue)] = [
            ("outcrop", .integer(Self.format)), ("context", .integer(number)),
            ("created", .string(DateText.text(created) ?? "")), ("namespace", .string(namespace.uuidString)),
            ("mergePolicy", .string(settings.mergePolicy.rawValue)),
            ("automaticallyMergesChanges", .bool(settings.automaticallyMergesChanges)),
        ]
        if let name = settings.name { members.append(("name", .string(name))) }
        if let owner = settings.owner { members.append(("owner", .string(owner))) }
        if !settings.sharedWith.isEmpty {
            members.append(("sharedWith", .array(settings.sharedWith.map(JSONValue.string))))
        }
        if let parent { members.append(("parent", .integer(parent))) }
        let permanent = permanentURIs.sorted { $0.key < $1.key }.map { ("\($0.key)", JSONValue.string($0.value)) }
        members += [
            ("saves", .integer(saves)), ("lastTemporary", .integer(lastTemporaryNumber)),
            ("permanent", .object(JSONObject(permanent))), ("answers", answers.json),
        ]
        let archive = archives.first?.bytes ?? []
        members.append(("bytes", .integer(archive.count)))
        let start = JSONValue.object(JSONObject(members)).serializedBytes() + [0x0A] + archive
        return archives.dropFirst().reduce(into: start) { bytes, archive in
            bytes += Addition(lastTemporaryNumber: lastTemporaryNumber, answer: nil, archive: archive).bytes
        }
    }

    private static let format = 2

    /// Reads a record, or throws why it is invalid.
    init(_ bytes: [UInt8]) throws(ContextLoadError) {
        guard let end = bytes.firstIndex(of: 0x0A), let json = try? JSONValue(parsing: Array(bytes[..<end])) else {
            throw ContextLoadError("its file doesn't begin with a line of JSON")
        }
        guard json["outcrop"]?.int64 == Int64(Self.format) else {
            throw ContextLoadError("its file has an unknown format")
        }
        guard let number = json["context"]?.int64, let namespace = json["namespace"]?.string.flatMap(UUID.init),
            let policy = json["mergePolicy"]?.string.flatMap(Preferences.Merge.init),
            let last = json["lastTemporary"]?.int64, let permanent = json["permanent"]?.object,
            case .bool(let merges)? = json["automaticallyMergesChanges"]?.kind, let saves = json["saves"]?.int64
        else { throw ContextLoadError("the first line of its file is incomplete") }
        self.number = Int(number)
        self.namespace = namespace
        self.saves = Int(saves)
        settings = ContextSettings(
            name: json["name"]?.string,
            mergePolicy: policy,
            automaticallyMergesChanges: merges,
            owner: json["owner"]?.string,
            sharedWith: json["sharedWith"]?.array?.compactMap(\.string) ?? []
        )
        parent = json["parent"]?.int64.map(Int.init)
        created = json["created"]?.string.flatMap { Date(rfc3339: $0) } ?? .now
        lastTemporaryNumber = UInt32(clamping: last)
        for member in permanent.members {
            if let number = UInt32(member.name), let uri = member.value.string { permanentURIs[number] = uri }
        }
        answers = json["answers"].map(ContextAnswers.init) ?? ContextAnswers()
        let start = end + 1
        guard let count = json["bytes"]?.int64.map(Int.init), (0...bytes.count - start).contains(count) else {
            throw ContextLoadError("its file is truncated")
        }
        if count > 0 { archives = [try Self.archive(bytes[start..<start + count])] }
        try add(bytes[(start + count)...])
    }

    /// Reads additions. If the last one is incomplete, its request wasn't answered, and it is ignored.
    private mutating func add(_ bytes: ArraySlice<UInt8>) throws(ContextLoadError) {
        var bytes = bytes
        while let end = bytes.firstIndex(of: 0x0A) {
            guard let json = try? JSONValue(parsing: Array(bytes[..<end])), let last = json["lastTemporary"]?.int64,
                let count = json["bytes"]?.int64.map(Int.init), count > 0
            else { throw ContextLoadError("an addition to its file is damaged") }
            let rest = bytes[(end + 1)...]
            guard rest.count >= count else { return }
            let archive: ContextArchive
            do throws(ContextLoadError) {
                archive = try Self.archive(rest.prefix(count))
            } catch {
                if rest.count == count { return }
                throw error
            }
            archives.append(archive)
            lastTemporaryNumber = UInt32(clamping: last)
            answers = answers.adding(json["answer"].flatMap(ContextAnswer.init), byteLimit: .max)
            bytes = rest.dropFirst(count)
        }
    }

    private static func archive(_ bytes: ArraySlice<UInt8>) throws(ContextLoadError) -> ContextArchive {
        do throws(GraphError) {
            return try ContextArchive(bytes: Array(bytes))
        } catch {
            throw ContextLoadError(error.message)
        }
    }
}

/// Why an editing context couldn't be loaded.
struct ContextLoadError: Error, Sendable {
    /// A clause without a full stop.
    let reason: String

    init(_ reason: String) { self.reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason }

    init(of error: any Error) {
        switch error {
        case let error as GraphError where error.code == .unknownStore:
            self.init("it refers to a store that isn't open")
        case let error as GraphError: self.init(error.message)
        case let error as FileError: self.init(error.reason)
        case let error as Problem: self.init(error.detail)
        default: self.init("it can't be read")
        }
    }
}
