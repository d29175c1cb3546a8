// SPDX-License-Identifier: Apache-2.0

// The references of imported objects, and references to deleted objects.

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("References of imported objects")
struct KeptReferenceTests {
    private static let model = #"""
        {"entities": {
          "Owner": {"attributes": {"name": "String"}, "relationships": {
            "cars": {"toMany": "Car", "inverse": "owner", "deleteRule": "noAction"}}},
          "Car": {"attributes": {"name": "String"}, "relationships": {"owner": {"to": "Owner?", "inverse": "cars"}}},
          "Truck": {"parent": "Car", "attributes": {"load": "Double?"}}
        }}
        """#

    private static let graph = #"""
        {"_id":"Owner/3","_entity":"Owner","_version":4,"name":"Ann"}
        {"_id":"Car/2","_entity":"Car","_version":1,"name":"a","owner":"Owner/3"}
        {"_id":"Truck/7","_entity":"Truck","_version":2,"name":"b","owner":"Owner/3","load":1.5}
        {"_id":"Car/5","_entity":"Car","_version":9,"name":"c","owner":null}
        """#

    private static let kept = #"""
        {"_id":"Owner/3","_entity":"Owner","_version":5,"name":"Ann"}
        {"_id":"Car/2","_entity":"Car","_version":2,"name":"a","owner":"Owner/3"}
        {"_id":"Car/5","_entity":"Car","_version":10,"name":"c","owner":null}
        {"_id":"Truck/7","_entity":"Truck","_version":3,"name":"b","load":1.5,"owner":"Owner/3"}
        """#

    private static func inFolder(_ body: (_ folder: String, _ model: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Model.json")
            try Files.write(graph + "\n", to: folder + "/graph.ndjson")
            try body(folder, folder + "/Model.json")
        }
    }

    @Test(
        "an import into an empty store of any format keeps references, with greater versions",
        arguments: ["sqlite", "xml", "binary"]
    )
    func emptyStore(kind: String) throws {
        try Self.inFolder { folder, model in
            let store = "\(kind == "sqlite" ? "" : kind + ":")\(folder)/a.\(kind)"
            let done = outcrop("import", store, folder + "/graph.ndjson", "--model", model, "--chunk", "2")
            #expect(done.output.hasSuffix(" They keep their references."), "\(done)")
            let exported = outcrop("export", store, "--model", model)
            #expect(exported.output == Self.kept + "\n" && exported.errors.isEmpty, "\(exported)")
            // In a store with objects, the rows get new references.
            let again = outcrop("import", store, folder + "/graph.ndjson", "--model", model)
            #expect(again.output.hasSuffix(" They have new references."), "\(again)")
            let forced = outcrop("import", store, folder + "/graph.ndjson", "--model", model, "--keep-ids", "--json")
            #expect(forced.json?["kept"] == 0, "\(forced)")
        }
    }

    @Test("an import makes new references on request, and in a store that has or had objects")
    func newReferences() throws {
        try Self.inFolder { folder, model in
            let store = folder + "/a.sqlite"
            let done = outcrop("import", store, folder + "/graph.ndjson", "--model", model, "--no-keep-ids", "--json")
            #expect(done.json?["kept"] == 0 && done.json?["objects"] == 4, "\(done)")
            #expect(outcrop("export", store, "--entity", "Owner").output.hasPrefix(#"{"_id":"Owner/1","#))
            let some =
                #"{"_id":"Owner/1","_entity":"Owner","name":"x"}"# + "\n"
                + #"{"_id":"Owner/90","_entity":"Owner","_version":3,"name":"y"}"# + "\n"
            try Files.write(some, to: folder + "/some.ndjson")
            let kept = outcrop("import", store, folder + "/some.ndjson", "--keep-ids")
            #expect(kept.output.hasSuffix(" 1 of them keep their references, 1 have new ones."), "\(kept)")
            let found = outcrop("export", store, "--entity", "Owner", "--where", "name == 'y'").output
            #expect(found.hasPrefix(#"{"_id":"Owner/90","_entity":"Owner","_version":4,"#), "\(found)")
            let both = outcrop("import", store, folder + "/some.ndjson", "--keep-ids", "--no-keep-ids")
            #expect(both.status == .usage)
        }
    }

    @Test("new references that are the same by chance aren't reported as kept")
    func sameByChance() throws {
        try Self.inFolder { folder, model in
            let lines = (1...3).map {
                #"{"_id":"Owner/\#($0)","_entity":"Owner","_version":1,"name":"o\#($0)"}"# + "\n"
            }
            try Files.write(lines.joined(), to: folder + "/same.ndjson")
            let done = outcrop(
                "import",
                folder + "/a.sqlite",
                folder + "/same.ndjson",
                "--model",
                model,
                "--no-keep-ids"
            )
            #expect(done.output.hasSuffix(" They have new references."), "\(done)")
            #expect(outcrop("export", folder + "/a.sqlite").output.contains(#""_id":"Owner/3""#))
        }
    }

    @Test("an import into an empty server keeps references")
    func emptyServer() throws {
        try Self.inFolder { folder, model in
            let server = try ServerProcess(
                in: folder,
                serving: ["--model", model, "--store", folder + "/served.sqlite"]
            )
            let address = try server.address()
            let done = outcrop("import", address, folder + "/graph.ndjson", "--chunk", "2")
            #expect(done.output.hasSuffix(" They keep their references."), "\(done)")
            #expect(outcrop("export", address).output == Self.kept + "\n")
        }
    }

    @Test("references to deleted objects are exported as null, with a remark")
    func lostReferences() throws {
        try Self.inFolder { folder, model in
            let store = folder + "/a.sqlite"
            #expect(outcrop("import", store, folder + "/graph.ndjson", "--model", model).status == .fine)
            let server = try ServerProcess(in: folder, serving: ["--store", store])
            let address = try server.address()
            #expect(try server.curl("-X", "DELETE", "\(address)/api/Owner/3").status == "204")
            #expect(try server.curl("\(address)/api/Car/2").body.contains(#""Owner/3""#))
            let remark =
                "2 references refer to objects that no longer exist, and were written as null; the first is owner of Car/2."
            let nulled = Self.kept.split(separator: "\n").dropFirst().map {
                $0.replacing(#""Owner/3""#, with: "null") + "\n"
            }
            for source in [store, address] {
                let exported = outcrop("export", source)
                #expect(exported.status == .fine && exported.errors == remark, "\(exported)")
                #expect(exported.output == nulled.joined())
                let table = outcrop("export", source, "--entity", "Car", "--format", "csv", "--select", "name,owner")
                #expect(!table.output.contains("Owner/3") && table.errors == remark, "\(table)")
                let names = outcrop("export", source, "--entity", "Car", "--select", "name")
                #expect(names.errors.isEmpty)
            }
            let file = folder + "/all.ndjson"
            let written = outcrop("export", store, "-o", file, "--json")
            #expect(written.json?["nulls"] == 2 && written.errors == remark, "\(written)")
            #expect(outcrop("import", folder + "/b.sqlite", file, "--model", model).status == .fine)
        }
    }

    @Test(
        "a reference that no line of an export has is refused, unless --link-existing allows objects of the same number"
    )
    func unrelated() throws {
        try Self.inFolder { folder, model in
            let store = folder + "/a.sqlite"
            #expect(outcrop("import", store, folder + "/graph.ndjson", "--model", model).status == .fine)
            let car = #"{"_id":"Car/1","_entity":"Car","_version":1,"name":"d","owner":"Owner/3"}"# + "\n"
            let cars = [car, #"{"_id":"Owner/1","_entity":"Owner","name":"Bea"}"# + "\n" + car]
            let reason =
                "No line has the “_id” Owner/3. Import the file that has it in the same command, or use --link-existing "
                + "if Owner/3 of the target is the same object."
            for (number, lines) in cars.enumerated() {
                let file = "\(folder)/\(number).ndjson"
                try Files.write(lines, to: file)
                for option in ["--dry-run", "--no-progress", "--upsert"] {
                    let refused = outcrop("import", store, file, option)
                    #expect(refused.status == .problems, "\(refused)")
                    #expect(
                        refused.output.contains("\(number).ndjson:\(number + 1): owner: \(reason) (reference)"),
                        "\(refused)"
                    )
                }
                #expect(Self.cars(of: "Ann", store).count == 2 + number)
                #expect(outcrop("import", store, file, "--dry-run", "--link-existing").status == .fine)
                let linked = outcrop("import", store, file, "--link-existing")
                #expect(linked.status == .fine, "\(linked)")
                #expect(Self.cars(of: "Ann", store).count == 3 + number)
            }
        }
    }

    @Test("of another table of an export aren't taken for objects here either")
    func unrelatedTable() throws {
        try Self.inFolder { folder, model in
            let store = folder + "/a.sqlite"
            #expect(outcrop("import", store, folder + "/graph.ndjson", "--model", model).status == .fine)
            try Files.write("_id,_entity,_version,name,owner\nCar/1,Car,1,d,Owner/3\n", to: folder + "/cars.csv")
            let refused = outcrop("import", store, folder + "/cars.csv", "--entity", "Car")
            #expect(refused.status == .problems && refused.output.contains("--link-existing"), "\(refused)")
            #expect(
                outcrop("import", store, folder + "/cars.csv", "--entity", "Car", "--link-existing").status == .fine
            )
            // A table of one's own, without references of its rows, speaks of the objects here.
            try Files.write("name,owner\ne,Owner/3\n", to: folder + "/own.csv")
            #expect(outcrop("import", store, folder + "/own.csv", "--entity", "Car").status == .fine)
            #expect(Self.cars(of: "Ann", store) == ["a", "b", "d", "e"])
        }
    }

    @Test("lead to objects that were there before an import, and not to such as it has made", arguments: [1, 100])
    func madeByImport(chunk: Int) throws {
        try Self.inFolder { folder, model in
            let store = folder + "/a.sqlite"
            #expect(outcrop("import", store, folder + "/graph.ndjson", "--model", model).status == .fine)
            // The first becomes Owner/4 here, and was no Owner/4 there.
            let owners = [#"{"_entity":"Owner","name":"Bea"}"#, #"{"_id":"Owner/1","_entity":"Owner","name":"Bea"}"#]
            for (number, owner) in owners.enumerated() {
                let lines =
                    owner + "\n" + #"{"_id":"Car/1","_entity":"Car","_version":1,"name":"d","owner":"Owner/4"}"# + "\n"
                try Files.write(lines, to: folder + "/old.ndjson")
                let copy = "\(folder)/copy\(number).sqlite"
                #expect(outcrop("store", "backup", store, copy).status == .fine)
                let refused = outcrop(
                    "import",
                    copy,
                    folder + "/old.ndjson",
                    "--link-existing",
                    "--chunk",
                    "\(chunk)"
                )
                #expect(refused.status == .problems, "\(refused)")
                #expect(refused.output.contains("old.ndjson:2: owner: "), "\(refused)")
                #expect(Self.cars(of: "Bea", copy).isEmpty)
            }
        }
    }

    @Test("--link-existing in a repetition doesn't link to objects that the import made without it")
    func madeBeforeRepetition() throws {
        try Self.inFolder { folder, model in
            let store = folder + "/a.sqlite"
            #expect(outcrop("import", store, folder + "/graph.ndjson", "--model", model).status == .fine)
            // The owner becomes Owner/4 here, and was no Owner/4 there.
            let lines = """
                {"_id":"Owner/1","_entity":"Owner","name":"Bea"}
                {"_id":"Car/1","_entity":"Car","_version":1,"name":"d","owner":"Owner/4"}

                """
            try Files.write(lines, to: folder + "/old.ndjson")
            for option in ["--no-progress", "--link-existing"] {
                let refused = outcrop("import", store, folder + "/old.ndjson", "--chunk", "1", option)
                #expect(refused.status == .problems, "\(refused)")
                #expect(refused.output.contains("old.ndjson:2: owner: "), "\(refused)")
                #expect(Self.cars(of: "Bea", store).isEmpty)
            }
        }
    }

    @Test("of two files of an export lead from one to the other, in one command or in two")
    func twoFiles() throws {
        try Self.inFolder { folder, model in
            let lines = Self.graph.split(separator: "\n").map { "\($0)\n" }
            try Files.write(lines[0], to: folder + "/owners.ndjson")
            try Files.write(lines.dropFirst().joined(), to: folder + "/cars.ndjson")
            let files = [folder + "/owners.ndjson", folder + "/cars.ndjson"]
            for order in [files, files.reversed()] {
                let store = "\(folder)/\(order == files ? "a" : "b").sqlite"
                let done = Program.run(["import", store] + order + ["--model", model], on: .plain)
                #expect(done.output.hasSuffix(" They keep their references."), "\(done)")
                #expect(Self.cars(of: "Ann", store) == ["a", "b"])
            }
            let store = folder + "/c.sqlite"
            #expect(outcrop("import", store, files[0], "--model", model).status == .fine)
            #expect(outcrop("import", store, files[1]).status == .problems)
            let done = outcrop("import", store, files[1], "--link-existing", "--keep-ids")
            #expect(done.output.hasSuffix(" They keep their references."), "\(done)")
            #expect(Self.cars(of: "Ann", store) == ["a", "b"])
            // The objects of one entity come back into the store that they are of.
            let exported = folder + "/back.ndjson"
            #expect(outcrop("export", store, "--entity", "Truck", "-o", exported).status == .fine)
            #expect(outcrop("import", store, exported, "--link-existing").status == .fine)
            #expect(Self.cars(of: "Ann", store) == ["a", "b", "b"])
        }
    }

    @Test("lead to objects of a server only where that is said")
    func unrelatedOnServer() throws {
        try Self.inFolder { folder, model in
            let server = try ServerProcess(
                in: folder,
                serving: ["--model", model, "--store", folder + "/served.sqlite"]
            )
            let address = try server.address()
            #expect(outcrop("import", address, folder + "/graph.ndjson").status == .fine)
            let car = #"{"_id":"Car/1","_entity":"Car","_version":1,"name":"d","owner":"Owner/3"}"# + "\n"
            try Files.write(car, to: folder + "/car.ndjson")
            #expect(outcrop("import", address, folder + "/car.ndjson").status == .problems)
            #expect(outcrop("import", address, folder + "/car.ndjson", "--link-existing").status == .fine)
            #expect(try server.curl("\(address)/api/Owner/3/cars?result=count").body.contains("3"))
        }
    }

    /// The names of an owner's cars.
    private static func cars(of owner: String, _ store: String) -> [String] {
        let table = outcrop(
            "store",
            "query",
            store,
            "Car",
            "--where",
            "owner.name == '\(owner)'",
            "--select",
            "name",
            "--sort",
            "name",
            "--csv"
        )
        return table.output.split(separator: "\n").dropFirst().map(String.init)
    }
}
