// SPDX-License-Identifier: Apache-2.0

// The commands on the stores of a model whose entities are in several stores.

import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Commands on stores of one configuration")
struct ConfigurationCommandTests {
    private static let model = """
        {
          "entities": {
            "Page": {"attributes": {"title": "String"}, "relationships": {"links": "[Page].links"}},
            "Visit": {"attributes": {"address": "String"}}
          },
          "configurations": {"Content": ["Page"], "Log": ["Visit"]}
        }
        """

    /// Two linked pages in one store, and a visit in the other.
    private static func withStores(_ body: (_ folder: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Site.json")
            let model = try StoreFiles.model(folder + "/Site.json")
            let coordinator = PersistentStoreCoordinator(model: model)
            for name in ["Content", "Log"] {
                var options = SQLiteStoreOptions()
                options.configuration = name
                let store = try SQLiteStore(path: "\(folder)/\(name).sqlite", model: model, options: options)
                try coordinator.add(store, configuration: name)
            }
            try coordinator.withContext { context in
                let (home, news) = (try context.insert("Page"), try context.insert("Page"))
                try home.setValue("Home", forKey: "title")
                try news.setValue("News", forKey: "title")
                try home.add(news, forKey: "links")
                try context.insert("Visit").setValue("::1", forKey: "address")
                try context.save()
            }
            try body(folder)
        }
    }

    @Test("the store commands read the store of a configuration, and report entities that it doesn't hold")
    func looking() throws {
        try Self.withStores { folder in
            let content = folder + "/Content.sqlite"
            #expect(outcrop("store", "check", content).output == "0 errors, 0 warnings")
            let pages = outcrop("store", "query", content, "Page", "--sort", "title", "--select", "title", "--csv")
            #expect(pages.output == "title\nHome\nNews\n")
            let visits = outcrop("store", "query", content, "Visit")
            #expect(visits.status == .problems && visits.errors.contains("No store is configured for Visit"))
            let named = outcrop("store", "query", content, "Page", "--count", "--model", folder + "/Site.json")
            #expect(named.output == "2")
        }
    }

    @Test("a converted store keeps its configuration")
    func converting() throws {
        try Self.withStores { folder in
            for copy in ["Copy.sqlite", "Copy.xml"] {
                let made = outcrop("store", "convert", folder + "/Content.sqlite", "\(folder)/\(copy)")
                #expect(made.status == .fine, "\(made.errors)")
            }
            let copy = try StoreFiles.sqlite(folder + "/Copy.sqlite", model: nil)
            #expect(copy.configuration == "Content")
            let original = outcrop("export", folder + "/Content.sqlite").output
            #expect(outcrop("export", folder + "/Copy.sqlite").output == original)
            #expect(outcrop("export", folder + "/Copy.xml", "--model", folder + "/Site.json").output == original)
        }
    }

    @Test("stores of a configuration can be exported, imported into and filled with demo data")
    func transferring() throws {
        try Self.withStores { folder in
            let (content, lines) = (folder + "/Content.sqlite", folder + "/Content.ndjson")
            #expect(outcrop("export", content, "-o", lines).status == .fine)
            try Files.write(Self.model, to: folder + "/Site.json")
            let model = try StoreFiles.model(folder + "/Site.json")
            for (name, count) in [("Imported", 2), ("Filled", 1000)] {
                var options = SQLiteStoreOptions()
                options.configuration = "Content"
                let path = "\(folder)/\(name).sqlite"
                do { _ = try SQLiteStore(path: path, model: model, options: options) }
                let done =
                    name == "Imported"
                    ? outcrop("import", path, lines) : outcrop("demo-data", path, "--count", "1000")
                #expect(done.status == .fine, "\(done.errors)")
                #expect(outcrop("store", "query", path, "Page", "--count").output == "\(count)")
            }
            let linked = outcrop(
                "store",
                "query",
                folder + "/Imported.sqlite",
                "Page",
                "--where",
                "links.@count == 1",
                "--count"
            )
            #expect(linked.output == "2")
        }
    }

    @Test("a server uses a store only for its configuration, and needs one store for each entity")
    func serving() throws {
        try Self.withStores { folder in
            let content = folder + "/Content.sqlite"
            let plain = outcrop("serve", "--check", "--store", content)
            #expect(
                plain.status == .problems && plain.output.contains("only the entities of the configuration “Content”")
            )
            let other = outcrop("serve", "--check", "--store", "Log=\(content)")
            #expect(
                other.status == .problems && other.output.contains("only the entities of the configuration “Content”")
            )
            let alone = outcrop("serve", "--check", "--store", "Content=\(content)")
            #expect(
                alone.status == .problems && alone.output.contains("no store for objects of Visit"),
                "\(alone.output)"
            )
            #expect(alone.output.contains("--store Log="))
            let both = ["Content=\(content)", "Log=\(folder)/Log.sqlite"]
            #expect(outcrop("serve", "--check", "--store", both[0], "--store", both[1]).status == .fine)
            let more = "Log=\(folder)/More.sqlite"
            for arguments in [["--check"], ["--listen", "127.0.0.1:0"]] {
                let stores = ["--store", both[0], "--store", both[1], "--store", more]
                let ambiguous = Program.run(["serve"] + stores + arguments, on: .plain)
                #expect(ambiguous.status != .fine)
                let text = ambiguous.output + ambiguous.errors
                #expect(text.contains("Several stores keep objects of Visit"), "\(text)")
                #expect(text.contains("“\(both[1])”") && text.contains("“\(more)”"), "\(text)")
            }
        }
    }
}
