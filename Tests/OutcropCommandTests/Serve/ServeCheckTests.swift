// SPDX-License-Identifier: Apache-2.0

// Whether a server is allowed and able to start.

import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop serve --check")
struct ServeCheckTests {
    @Test("the check finds no problem with the demo")
    func demo() {
        let result = outcrop("serve", "--demo", "--store", "memory:", "--check")
        #expect(result.status == .fine)
        #expect(result.output == "No problems: memory: can be served. Listening on 127.0.0.1:8080 was not tried.")
    }

    @Test("the check answers in JSON")
    func json() {
        let result = outcrop("serve", "--check", "--json")
        #expect(result.status == .problems)
        #expect(result.json?["ok"]?.bool == false)
        #expect(result.json?["problems"]?[0]?["place"]?.string == "--store")
        #expect(result.json?["problems"]?[0]?["hint"]?.string?.contains("--demo") == true)
    }

    @Test("the check reports all problems at once, each with its setting")
    func several() throws {
        try Checkout.withFolder { folder in
            let result = outcrop(
                "serve",
                "--check",
                "--model",
                folder + "/Gone.xcdatamodeld",
                "--store",
                folder + "/none/App.sqlite",
                "--listen",
                "0.0.0.0:80",
                "--page-size",
                "2000",
                "--public",
                folder + "/nothing",
                "--log-file",
                folder + "/none/x.log"
            )
            #expect(result.status == .problems)
            for part in [
                "Gone.xcdatamodeld", "--listen: Other machines", "--page-size: pageSize", "--public", "--log-file",
            ] {
                #expect(result.output.contains(part), "\(result.output)")
            }
        }
    }

    @Test("the check reports folders and files that the server couldn't use later")
    func filesBeside() throws {
        try Checkout.withFolder { folder in
            let (store, access) = (folder + "/App.sqlite", folder + "/access.json")
            try Files.write(#"{"roles": {"admin": {"administers": true}}}"#, to: access)
            try Files.write("no keys", to: store + ".keys.json")
            try Files.write("a file", to: folder + "/backups")
            let words = ["serve", "--check", "--model", Files.demo, "--store", store, "--access", access]
            let result = Program.run(words + ["--backup", folder + "/backups"], on: .plain)
            #expect(result.status == .problems)
            #expect(result.output.contains("App.sqlite.keys.json"))
            #expect(result.output.contains("Backups can't be written"))
            try FileManager.default.removeItem(atPath: store + ".keys.json")
            let sound = Program.run(words + ["--backup", folder + "/new/backups"], on: .plain)
            #expect(sound.status == .fine, "\(sound.output)")
        }
    }

    @Test("the check creates no store, and reports where none can be created")
    func newStores() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/App.sqlite"
            #expect(outcrop("serve", "--check", "--model", Files.demo, "--store", path).status == .fine)
            #expect(!FileManager.default.fileExists(atPath: path))
            let missing = outcrop("serve", "--check", "--model", Files.demo, "--store", folder + "/x/App.sqlite")
            #expect(missing.status == .problems && missing.output.contains("x/App.sqlite"))
            let readOnly = outcrop("serve", "--check", "--model", Files.demo, "--store", path, "--read-only")
            #expect(readOnly.status == .problems && readOnly.output.contains("isn't created with --read-only"))
        }
    }

    @Test("a file or folder that isn't a store is reported with a remedy", arguments: [true, false])
    func badPlaces(hasModel: Bool) throws {
        try Checkout.withFolder { folder in
            let manager = FileManager.default
            try manager.createDirectory(atPath: folder + "/Folder.sqlite", withIntermediateDirectories: false)
            try Data("hello, world\n".utf8).write(to: URL(filePath: folder + "/Text.sqlite"))
            try Files.write(
                "<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n<database/>",
                to: folder + "/Mapping.xml"
            )
            let model = hasModel ? ["--model", Files.demo] : []
            for (name, parts) in [
                ("Folder.sqlite", ["This is a folder", "--store sqlite:\(folder)/Folder.sqlite/NAME"]),
                ("Text.sqlite", ["isn't a SQLite database", "Give a store"]),
                ("Mapping.xml", ["Core Data has written as XML", "Let the app migrate its store to SQLite"]),
                ("none/App.sqlite", ["There is no folder", "mkdir -p \(folder)/none"]),
            ] {
                for run in [["--check"], []] {
                    let arguments = ["serve", "--store", "\(folder)/\(name)", "--listen", "127.0.0.1:0"] + run + model
                    let result = Program.run(arguments, on: .plain)
                    #expect(result.status == .problems)
                    let text = result.output + result.errors
                    for part in parts + ["\(folder)/\(name)"] { #expect(text.contains(part), "\(text)") }
                }
            }
        }
    }

    @Test("a new store without a model is reported")
    func noModel() throws {
        try Checkout.withFolder { folder in
            let result = outcrop("serve", "--check", "--store", folder + "/App.sqlite")
            #expect(result.status == .problems && result.output.contains("--model App.xcdatamodeld"))
        }
    }

    @Test(
        "an address that other machines can reach is refused without --allow-anonymous",
        arguments: [
            ("0.0.0.0:8080", false), ("[::]:8080", false), ("192.168.1.2:80", false), ("*:8080", false),
            ("example.com:80", false), ("systemd", false), ("127.0.0.1:0", true), ("127.0.0.2:1", true),
            ("[::1]:8080", true), ("localhost:1", true), ("unix:/run/x.sock", true),
        ]
    )
    func access(address: String, isLocal: Bool) {
        let result = outcrop("serve", "--demo", "--check", "--listen", address)
        #expect((result.status == .fine) == isLocal, "\(result.output)")
        if !isLocal {
            #expect(result.output.contains("--allow-anonymous") && result.output.contains("no access rules"))
        }
        #expect(outcrop("serve", "--demo", "--check", "--listen", address, "--allow-anonymous").status == .fine)
        // What fails the check doesn't start either.
        if !isLocal { #expect(outcrop("serve", "--demo", "--listen", address).status == .usage) }
    }

    @Test("an entity whose alias isn't a possible path is named", arguments: ["..", ".", "a/b", "a/..", ""])
    func alias(path: String) throws {
        try Checkout.withFolder { folder in
            let model =
                "{\"entities\":{\"Post\":{\"attributes\":{\"title\":\"String\"},\"userInfo\":{\"path\":\"\(path)\"}}}}"
            try Data(model.utf8).write(to: URL(filePath: folder + "/Model.json"))
            let arguments = [
                "serve", "--model", folder + "/Model.json", "--store", "memory:", "--listen", "127.0.0.1:0",
            ]
            for run in [["--check"], []] {
                let result = Program.run(arguments + run, on: .plain)
                #expect(result.status == .problems)
                #expect((result.output + result.errors).contains("“\(path)” can't be the path of Post"))
            }
        }
    }

    @Test("the refusal of systemd's sockets names them")
    func activated() {
        let result = outcrop("serve", "--demo", "--check", "--listen", "systemd")
        #expect(result.output.contains("Other machines can reach the sockets that systemd passes, and"))
    }

    @Test("an unknown option gets the nearest one as a hint")
    func unknownOption() {
        let result = outcrop("serve", "--read-olny")
        #expect(result.status == .usage && result.errors.contains("--read-only"))
    }

    @Test("a page size above the maximum, and a read-only memory store, are refused")
    func contradictions() {
        let both = outcrop("serve", "--demo", "--check", "--maximum-page-size", "10", "--page-size", "11")
        #expect(both.status == .problems && both.output.contains("--page-size: pageSize is 11"))
        #expect(outcrop("serve", "--demo", "--check", "--read-only").status == .problems)
    }
}
