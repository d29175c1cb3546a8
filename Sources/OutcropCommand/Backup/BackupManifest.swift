// SPDX-License-Identifier: Apache-2.0

// The description of a dated backup, in the file `backup.json` beside the store's copy.

import Cryptography
import Files
import FoundationEssentials
import JSON
import SourceText

/// What a dated backup contains, and when it was made.
struct BackupManifest: Hashable {
    /// The name of the store's file.
    var store: String
    var kind: StoreKind
    /// The identifier of a SQLite store.
    var identifier: String?
    /// When copying began. The copy has everything that was saved before.
    var begun: Date
    /// When the copy was complete. It has nothing that was saved later.
    var made: Date
    /// The size of the store's file in bytes.
    var size: Int
    /// The SHA-256 of the store's file, in hexadecimal digits.
    var digest: String
    /// The number of objects, if it is known without a model.
    var objects: Int?

    static let fileName = "backup.json"
    private static let format: Int64 = 1
    private static let maximumSize = 64 << 10

    var json: JSONValue {
        var json: JSONObject = [
            "format": .integer(Int(Self.format)), "store": .string(store), "kind": .string(kind.rawValue),
        ]
        json["identifier"] = identifier.map(JSONValue.string)
        json["begun"] = DateText.text(begun).map(JSONValue.string)
        json["made"] = DateText.text(made).map(JSONValue.string)
        json["size"] = .integer(size)
        json["sha256"] = .string(digest)
        json["objects"] = objects.map { .integer($0) }
        return .object(json)
    }

    func write(in folder: String) throws {
        let file = try OpenFile(writing: folder + "/" + Self.fileName, existing: .fail)
        try file.append(Array((json.serialized(.pretty) + "\n").utf8).span)
        try file.sync()
    }

    /// The manifest in a folder; nil if the folder isn't a backup.
    init?(in folder: String) {
        let path = folder + "/" + Self.fileName
        guard FileSystem.isFile(path),
            let bytes = try? OpenFile(reading: path).read(at: 0, count: Self.maximumSize),
            let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self)),
            json["format"]?.int64 == Self.format,
            let store = json["store"]?.string, !store.contains("/"),
            let kind = json["kind"]?.string.flatMap(StoreKind.init(rawValue:)),
            let begun = json["begun"]?.string.flatMap({ Date(iso8601: $0) }),
            let made = json["made"]?.string.flatMap({ Date(iso8601: $0) }),
            let size = json["size"]?.int64, let digest = json["sha256"]?.string
        else { return nil }
        self.store = store
        self.kind = kind
        self.begun = begun
        self.made = made
        self.size = Int(size)
        self.digest = digest
        identifier = json["identifier"]?.string
        objects = json["objects"]?.int64.map { Int($0) }
    }

    init(store: String, kind: StoreKind, begun: Date, made: Date, size: Int, digest: String) {
        self.store = store
        self.kind = kind
        self.begun = begun
        self.made = made
        self.size = size
        self.digest = digest
    }

    /// The SHA-256 of a file that isn't open in this process.
    static func digest(ofFile path: String) throws -> String {
        let file = try OpenFile(reading: path)
        var hash = SHA256()
        var offset = 0
        while case let piece = try file.read(at: offset, count: 1 << 20), !piece.isEmpty {
            hash.add(piece)
            offset += piece.count
        }
        return hash.digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
