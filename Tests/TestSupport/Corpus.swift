// SPDX-License-Identifier: Apache-2.0

// Models and format strings of other projects, read by some tests if OUTCROP_CORPUS is the path of their folder.

import Foundation
public import Testing

public enum Corpus {
    public static let path = ProcessInfo.processInfo.environment["OUTCROP_CORPUS"]

    /// The `contents` files of all models.
    public static let contents = modelFiles(named: "contents")
    /// The files that name a bundle's current version.
    public static let currentVersions = modelFiles(named: ".xccurrentversion")

    /// The `.xcdatamodeld` bundles around them.
    public static let bundles: [String] = Set(
        contents.compactMap { path in
            let parts = path.split(separator: "/").dropLast(2)
            return parts.last?.hasSuffix(".xcdatamodeld") == true ? "/" + parts.joined(separator: "/") : nil
        }
    ).sorted()

    /// The stores that are SQLite databases.
    public static let stores: [String] = {
        guard let path else { return [] }
        let folder = path + "/stores/"
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return files.sorted().map { folder + $0 }.filter { file in
            guard let handle = FileHandle(forReadingAtPath: file) else { return false }
            return (try? handle.read(upToCount: 15)) == Data("SQLite format 3".utf8)
        }
    }()

    /// A store and the model files that it was written with.
    public struct StoreWithModel: Sendable, CustomTestStringConvertible {
        public let store: String
        public let models: [String]

        public var testDescription: String { store }
    }

    public static let storesWithModels: [StoreWithModel] = {
        guard let path, let data = try? Data(contentsOf: URL(filePath: path + "/pairs.json")),
            let pairs = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
        else { return [] }
        return pairs.compactMap { pair in
            guard let store = pair["store"] as? String, let models = pair["models"] as? [String] else { return nil }
            return StoreWithModel(store: path + "/" + store, models: models.map { path + "/" + $0 })
        }
    }()

    /// The format strings, one per line, without their sources.
    public static let formats: [String] = {
        guard let path, let text = try? String(contentsOfFile: path + "/predicates.txt", encoding: .utf8) else {
            return []
        }
        return text.split(separator: "\n").filter { !$0.hasPrefix("# ") }.map { String($0.prefix { $0 != "\t" }) }
    }()
}

extension Corpus {
    public static func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    private static func modelFiles(named name: String) -> [String] {
        guard let path else { return [] }
        let folder = path + "/models/"
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix("/" + name) }.sorted().map { folder + $0 }
    }
}
