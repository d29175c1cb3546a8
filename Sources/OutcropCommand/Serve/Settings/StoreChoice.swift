// SPDX-License-Identifier: Apache-2.0

// A store in the settings: its kind, its path, and the configuration that it stores.

import Arguments
import Files
import SourceText

/// `sqlite:App.sqlite`, `memory:`, `xml:App.xml`, `binary:App.bin`, or a path; `Configuration=` selects a part.
struct StoreChoice: Sendable, Hashable {
    enum Place: Sendable, Hashable {
        case memory
        case file(StoreKind, path: String)
    }

    let text: String
    let place: Place
    let configuration: String?

    static let memory = StoreChoice(text: "memory:", place: .memory, configuration: nil)

    static func sqlite(_ path: String) -> StoreChoice {
        StoreChoice(text: "sqlite:" + path, place: .file(.sqlite, path: path), configuration: nil)
    }

    private init(text: String, place: Place, configuration: String?) {
        self.text = text
        self.place = place
        self.configuration = configuration
    }

    init(_ text: String) throws(InvalidArgument) {
        self.text = text
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        // A path may contain an equals sign.
        let isNamed = parts.count == 2 && !parts[0].contains(":") && !parts[0].contains("/") && !parts[0].isEmpty
        configuration = isNamed ? String(parts[0]) : nil
        let url = isNamed ? String(parts[1]) : text
        if url == "memory:" || url == "memory" {
            place = .memory
            return
        }
        if let kind = Self.unknownKind(of: url) {
            let kinds = StoreKind.allCases.map(\.rawValue) + ["memory"]
            let guess = Spelling.nearest(to: kind, among: kinds).map { " Did you mean “\($0):”?" } ?? ""
            throw InvalidArgument(
                "the kind of store “\(kind.printable())” is unknown; use one of \(kinds.joined(separator: ", "))."
                    + "\(guess) Begin a path that has a colon in its first segment with “./”."
            )
        }
        let location = try StoreLocation(argument: url)
        place = .file(location.scheme ?? Self.kind(ofFile: location.path) ?? .sqlite, path: location.path)
    }

    /// The kind of an existing store.
    private static func kind(ofFile path: String) -> StoreKind? {
        FileSystem.isFile(path) ? try? StoreFiles.kind(ofFile: path) : nil
    }

    /// The prefix before a colon that is neither part of a path nor a kind of store.
    private static func unknownKind(of url: String) -> String? {
        guard let colon = url.firstIndex(of: ":") else { return nil }
        let kind = url[..<colon]
        return kind.contains("/") || StoreKind(rawValue: String(kind)) != nil ? nil : String(kind)
    }
}
