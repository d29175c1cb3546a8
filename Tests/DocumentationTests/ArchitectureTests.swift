// SPDX-License-Identifier: Apache-2.0

// The table of layers in ARCHITECTURE.md, compared with the manifest and with the sources' imports.

import Foundation
import TestSupport
import Testing

@Suite("Table of layers")
struct ArchitectureTests {
    private let layers: [Layer]
    private let sources: [String: [Source]]

    /// Read once for all tests.
    private static let read = Result { (layers: try layers(), sources: try sources()) }

    init() throws {
        let read = try Self.read.get()
        layers = read.layers
        sources = read.sources
    }

    @Test("the table of layers has a row for each target in Sources, and no other")
    func targets() {
        #expect(Set(layers.map(\.target)) == Set(sources.keys))
        #expect(layers.count == sources.count)
    }

    @Test("the table of layers names the imports of each target")
    func imports() {
        for layer in layers {
            let imported = imports(of: layer.target)
            #expect(Set(layer.imports) == imported, "\(layer.target) imports \(imported.sorted())")
            #expect(layer.imports == layer.imports.sorted(), "\(layer.target)'s imports are in alphabetical order")
        }
    }

    @Test("the table of layers has each target below the targets that it imports")
    func order() {
        var above: Set<String> = []
        for layer in layers {
            let below = layer.imports.filter { !above.contains($0) }
            #expect(below.isEmpty, "\(layer.target) imports \(below), which stand below it")
            above.insert(layer.target)
        }
    }

    @Test("the manifest's targets depend on exactly what they import")
    func manifest() throws {
        let dependencies = try Self.dependencies()
        for layer in layers {
            let declared = try #require(dependencies[layer.target], "Package.swift has no target \(layer.target)")
            #expect(declared == Set(layer.imports), "\(layer.target) depends on \(declared.sorted())")
        }
    }

    @Test("each C library is imported by one target")
    func systemLibraries() {
        let importers = layers.flatMap(\.imports).filter { $0.hasPrefix("C") && sources[$0]?.isEmpty == true }
        #expect(importers.sorted() == ["CBuild", "CConsole", "CLibSSL", "CLibevent", "CSQLite", "CZlib"])
    }

    @Test("only one file imports Foundation, and ARCHITECTURE.md names it")
    func foundation() throws {
        let importing = sources.values.joined().filter { $0.imports.contains("Foundation") }
        #expect(importing.map(\.path) == ["Predicates/Evaluation/Text.swift"])
        #expect(try Checkout.text(of: "ARCHITECTURE.md").contains("`Evaluation/Text.swift`"))
    }

    private func imports(of target: String) -> Set<String> {
        Set((sources[target] ?? []).flatMap(\.imports)).intersection(sources.keys)
    }
}

extension ArchitectureTests {
    private struct Layer {
        let target: String
        let imports: [String]
    }

    private struct Source {
        /// Below `Sources`.
        let path: String
        let imports: [String]
    }

    private static func layers() throws -> [Layer] {
        try Checkout.text(of: "ARCHITECTURE.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count == 6, let target = cells[2].names.first else { return nil }
            return Layer(target: target, imports: cells[3].names)
        }
    }

    private static func sources() throws -> [String: [Source]] {
        var sources: [String: [Source]] = [:]
        let folder = Checkout.path + "/Sources"
        for target in try FileManager.default.contentsOfDirectory(atPath: folder) where !target.hasPrefix(".") {
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder + "/" + target)
            sources[target] = try files.filter { $0.hasSuffix(".swift") }.map { file in
                let path = target + "/" + file
                let text = try Checkout.text(of: "Sources/" + path)
                let imports = text.matches(of: /(?m)^(?:@\S+ )*(?:public |package |internal |private )?import (\w+)/)
                return Source(path: path, imports: imports.map { String($0.1) })
            }
        }
        return sources
    }

    /// The dependencies of each target in Package.swift.
    private static func dependencies() throws -> [String: Set<String>] {
        let manifest = try Checkout.text(of: "Package.swift")
        var dependencies: [String: Set<String>] = [:]
        for target in manifest.matches(of: /\.(?:systemLibrary|target)\(name: "(C\w+)"/) {
            dependencies[String(target.1)] = []
        }
        for target in manifest.matches(of: /layer\(\s*"(\w+)"(?:,\s*on: \[([^\]]*)\])?/) {
            dependencies[String(target.1)] = Set((target.2 ?? "").quoted)
        }
        for target in manifest.matches(of: /\.executableTarget\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]/) {
            dependencies[String(target.1)] = Set(target.2.quoted)
        }
        return dependencies
    }
}

extension Substring {
    fileprivate var names: [String] { matches(of: /`(\w+)`/).map { String($0.1) } }
    fileprivate var quoted: [String] { matches(of: /"(\w+)"/).map { String($0.1) } }
}
