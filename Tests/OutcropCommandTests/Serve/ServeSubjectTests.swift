// SPDX-License-Identifier: Apache-2.0

// What `outcrop serve` serves when it is told little.

import Foundation
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Subject of serve")
struct ServeSubjectTests {
    @Test("a path is a model or a store, by its content or else by its name")
    func kinds() throws {
        #expect(try ServeSubject(Files.demo) == .model(Files.demo))
        #expect(try ServeSubject(Files.demo + "/") == .model(Files.demo))
        #expect(try ServeSubject("memory:") == .store("memory:"))
        #expect(try ServeSubject("xml:App.txt") == .store("xml:App.txt"))
        #expect(try ServeSubject("Missing.sqlite") == .store("Missing.sqlite"))
        #expect(try ServeSubject("Missing.json") == .model("Missing.json"))
        try Checkout.withFolder { folder in
            try Files.write("{}", to: folder + "/Model.db.json")
            #expect(try ServeSubject(folder + "/Model.db.json") == .model(folder + "/Model.db.json"))
            let model = Files.demo
            #expect(outcrop("demo-data", folder + "/App.data", "--model", model, "--count", "10").status == .fine)
            #expect(try ServeSubject(folder + "/App.data") == .store(folder + "/App.data"))
            #expect(outcrop("store", "convert", folder + "/App.data", folder + "/App.xml").status == .fine)
            #expect(try ServeSubject(folder + "/App.xml") == .store("xml:\(folder)/App.xml"))
            let failure = #expect(throws: Failure.self) { try ServeSubject(folder) }
            #expect(failure?.status == .usage && failure?.hint?.contains("outcrop init \(folder)") == true)
            try Files.write("{}", to: folder + "/outcrop.json")
            let other = #expect(throws: Failure.self) { try ServeSubject(folder) }
            #expect(other?.hint?.contains("run “outcrop serve” in it") == true)
        }
    }

    @Test(
        "a model's store is beside it",
        arguments: [
            ("Blog.xcdatamodeld", "Blog.sqlite"), ("models/Blog.json", "models/Blog.sqlite"),
            ("/a/Blog.xcdatamodeld/Blog 2.xcdatamodel", "/a/Blog.sqlite"),
            ("Blog.xcdatamodeld/Blog.xcdatamodel/contents", "Blog.sqlite"),
            ("Blog.xcdatamodel/contents", "Blog.sqlite"), ("./Blog.momd/", "./Blog.sqlite"),
            ("Blog.v1.json", "Blog.v1.sqlite"),
        ]
    )
    func besides(model: String, store: String) {
        #expect(ServeSettings.path(besides: model, suffix: "") == store)
        var settings = ServeSettings()
        settings.model = model
        settings.addDefaultStore(environment: [:])
        #expect(settings.stores == [.sqlite(store)])
        #expect(settings.notes == ["The store is \(store), beside the model. Another one: --store STORE"])
    }

    @Test("generated data of a model have a store of their own")
    func demoOfModel() {
        var settings = ServeSettings()
        settings.model = "Blog.json"
        settings.demo = true
        settings.addDefaultStore(environment: [:])
        #expect(settings.stores == [.sqlite("Blog-demo.sqlite")])
    }

    @Test("the demo is kept in the user's folder of data, and in memory without one")
    func demo() throws {
        func stores(_ environment: [String: String]) -> [StoreChoice] {
            var settings = ServeSettings()
            settings.demo = true
            settings.addDefaultStore(environment: environment)
            return settings.stores
        }
        try Checkout.withFolder { folder in
            #expect(stores(["HOME": folder]) == [.sqlite(folder + "/.local/share/outcrop/Demo.sqlite")])
            #expect(stores(["HOME": "/", "XDG_DATA_HOME": folder]) == [.sqlite(folder + "/outcrop/Demo.sqlite")])
            #expect(stores([:]) == [.memory])
            try Files.write("", to: folder + "/file")
            #expect(stores(["HOME": folder + "/file"]) == [.memory])
            var settings = ServeSettings()
            settings.demo = true
            settings.demoSize = 20
            settings.addDefaultStore(environment: ["XDG_DATA_HOME": folder])
            let stack = try ServedStack(opening: settings)
            #expect(stack.objects > 0)
            #expect(FileManager.default.fileExists(atPath: folder + "/outcrop/Demo.sqlite"))
        }
    }

    @Test("the file outcrop.json is read if nothing says what to serve")
    func defaultFile() throws {
        try Checkout.withFolder { folder in
            try Files.write(#"{"store": "App.sqlite", "pageSize": 7}"#, to: folder + "/outcrop.json")
            func size(_ environment: [String: String], _ subject: ServeSubject? = nil) -> Int {
                SettingsReader(file: nil, environment: environment, options: [], serving: subject, folder: folder)
                    .settings.api.pageSize
            }
            #expect(size([:]) == 7)
            #expect(size(["OUTCROP_LISTEN": "127.0.0.1:1"]) == 7)
            #expect(size(["OUTCROP_DEMO": "true"]) != 7)
            #expect(size([:], .store("memory:")) != 7)
            #expect(size(["OUTCROP_CONFIG": Files.root + "/Config/outcrop.json"]) != 7)
        }
    }

    @Test("a command line that names nothing, or two of the same, is a usage error with the ways out")
    func contradictions() {
        let nothing = Program.run(["serve"], on: .plain)
        #expect(nothing.status == .usage)
        for way in ["outcrop serve App.xcdatamodeld", "outcrop init", "outcrop serve --demo"] {
            #expect(nothing.errors.contains(way), "\(nothing.errors)")
        }
        let both = Program.run(["serve", Files.demo, "--model", Files.demo], on: .plain)
        #expect(both.status == .usage && both.errors.contains("Give only one of the two."), "\(both.errors)")
        #expect(Program.run(["serve", "memory:", "--listen", "nowhere"], on: .plain).status == .usage)
    }
}
