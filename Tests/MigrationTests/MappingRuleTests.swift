// SPDX-License-Identifier: Apache-2.0

// Migrations by rules: expressions over the old objects, and conditions.

import AtomicStores
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("Migrations by rules")
struct MappingRuleTests {
    private static let first = Model {
        Entity("User") {
            Attribute("firstName", .string)
            Attribute("lastName", .string).optional()
            Attribute("age", .string).optional()
            Attribute("isActive", .bool).default(true)
            Relationship("files", toMany: "File", inverse: "editors").optional()
            Relationship("friend", toOne: "User", inverse: "friendOf").optional()
            Relationship("friendOf", toMany: "User", inverse: "friend").optional()
        }
        Entity("File") {
            Attribute("name", .string)
            Relationship("editors", toMany: "User", inverse: "files").optional()
        }
    }

    private static let second = Model {
        Entity("Person") {
            Attribute("name", .string)
            Attribute("age", .int16).optional()
            Attribute("isActive", .bool).default(true)
            Relationship("owned", toMany: "File", inverse: "owner").optional().ordered()
            Relationship("friend", toOne: "Person", inverse: "friendOf").optional()
            Relationship("friendOf", toMany: "Person", inverse: "friend").optional()
        }
        Entity("File") {
            Attribute("name", .string)
            Relationship("owner", toOne: "Person", inverse: "owned").optional()
        }
    }

    private static let mapping = #"""
        {"entities": {
            "Person": {
                "from": "User", "where": "isActive == YES",
                "set": {"name": "TERNARY(lastName == nil, firstName, firstName + ' ' + lastName)", "age": "CAST(age, 'NSNumber')"}
            },
            "File": {"set": {"owner": "FIRST(editors)"}}
        }}
        """#

    /// Ann and Ben edit the first file, Ben and Cid the second, Cid the third. Cid isn't active. Each is the next one's friend.
    private static func stores() throws -> MigratedStores {
        try MigratedStores(ManagedObjectModel(first)) { coordinator in
            try coordinator.withContext { context in
                func insert(_ entity: String, _ values: [String: Value]) throws -> ManagedObject {
                    let object = try context.insert(entity)
                    for (key, value) in values { try object.setValue(value, forKey: key) }
                    return object
                }
                let ann = try insert("User", ["firstName": "Ann", "lastName": "Ash", "age": "33"])
                let ben = try insert("User", ["firstName": "Ben", "age": "none"])
                let cid = try insert("User", ["firstName": "Cid", "lastName": "Cox", "isActive": false])
                try ann.setObject(cid, forKey: "friend")
                try ben.setObject(ann, forKey: "friend")
                for (name, editors) in [("one", [ann, ben]), ("two", [ben, cid]), ("three", [cid])] {
                    try insert("File", ["name": .string(name)]).setObjects(editors, forKey: "editors")
                }
                try context.save()
            }
        }
    }

    private static func rules(_ text: String) throws -> MappingRules { try MappingRules(json: Array(text.utf8)) }

    @Test("values, destinations and filters are computed from the old objects", arguments: [false, true])
    func computed(isOpen: Bool) throws {
        let stores = try Self.stores()
        let new = try ManagedObjectModel(Self.second)
        let migration = try ModelMigration(from: stores.model, to: new, rules: Self.rules(Self.mapping))
        let report = try stores.migrate(by: migration, isOpen: isOpen)
        let person = try #require(report.stages[0].entities.first { $0.name == "Person" })
        #expect(person.excludedCount == 1 && person.formerName == "User")
        #expect(!report.isLossless)
        // What expressions read isn't lost, but Ann's friend is.
        #expect(Set(report.stages[0].losses.map(\.property)) == ["friend", "friendOf"])
        try stores.expectSame(new)
        let content = try stores.content(new)
        let people = content.objects.filter { $0.key.hasPrefix("Person/") }.map(\.value)
        #expect(Set(people.map { $0.values["name"] }) == ["Ann Ash", "Ben"])
        let ages = Dictionary(uniqueKeysWithValues: people.map { ($0.values["name"], $0.values["age"]) })
        #expect(ages["Ann Ash"] == 33 && ages["Ben"] == .null)
        let friends = Dictionary(uniqueKeysWithValues: people.map { ($0.values["name"], $0.related["friend"]?.count) })
        #expect(friends["Ann Ash"] == 0 && friends["Ben"] == 1)
        let files = content.objects.filter { $0.key.hasPrefix("File/") }.map(\.value)
        let owners = Dictionary(uniqueKeysWithValues: files.map { ($0.values["name"], $0.related["owner"]?.count) })
        #expect(owners["one"] == 1 && owners["two"] == 1 && owners["three"] == 0)
    }

    @Test("a rule in user info is for the version that introduces the property")
    func userInfo() throws {
        var second = Self.first
        second.entities[0].attributes.append(
            Attribute("name", .string).userInfo(["migrationValue": "firstName + '!'"])
        )
        let stores = try Self.stores()
        let next = try ManagedObjectModel(second)
        try stores.migrate(by: ModelMigration(from: stores.model, to: next))
        try stores.expectSame(next)
        func names(_ model: ManagedObjectModel) throws -> Set<Value?> {
            Set(try stores.content(model).objects.values.filter { $0.values["age"] != nil }.map { $0.values["name"] })
        }
        #expect(try names(next) == ["Ann!", "Ben!", "Cid!"])
        // The third version has the rule still, and values of its own.
        second.entities[0].attributes.append(Attribute("rank", .int16).default(1))
        second.entities[0].attributes[0].name = "givenName"
        second.entities[0].attributes[0].renamingIdentifier = "firstName"
        let last = try ManagedObjectModel(second)
        try stores.migrate(by: ModelMigration(from: next, to: last))
        try stores.expectSame(last)
        #expect(try names(last) == ["Ann!", "Ben!", "Cid!"])
    }

    @Test("a one-to-one destination by a rule is returned")
    func oneToOne() throws {
        var second = Self.first
        second.entities[0].relationships.append(
            Relationship("mainFile", toOne: "File", inverse: "mainEditor").optional()
        )
        second.entities[1].relationships.append(
            Relationship("mainEditor", toOne: "User", inverse: "mainFile").optional()
        )
        let new = try ManagedObjectModel(second)
        let stores = try Self.stores()
        let rules = try Self.rules(#"{"entities": {"File": {"set": {"mainEditor": "LAST(editors)"}}}}"#)
        try stores.migrate(by: ModelMigration(from: stores.model, to: new, rules: rules))
        try stores.expectSame(new)
        let files = try stores.content(new).objects.filter { $0.key.hasPrefix("File/") }
        // Ben has one, and Cid the first of two.
        #expect(files.values.count { $0.related["mainEditor"]?.count == 1 } == 2)
    }

    @Test("rules that can't be executed are obstacles, with the place and the reason")
    func obstacles() throws {
        let (old, new) = (try ManagedObjectModel(Self.first), try ManagedObjectModel(Self.second))
        func messages(_ text: String) throws -> [String] {
            do {
                _ = try ModelMigration(from: old, to: new, rules: Self.rules(text))
                return []
            } catch let error as MigrationObstacles {
                return error.issues.map { issue in
                    let place = [issue.place.entity, issue.place.property].compactMap(\.self).joined(separator: ".")
                    return "\(place): \(issue.message)"
                }
            }
        }
        #expect(try messages(Self.mapping) == [])
        let wrong = try messages(
            #"""
            {"entities": {
                "Person": {"from": "User", "set": {"name": "fristName", "age": "0", "owned": "friendOf.files", "size": "1"}},
                "Nobody": {"set": {"name": "'x'"}}
            }}
            """#
        )
        #expect(wrong.contains { $0.hasPrefix("Person.name: ") && $0.contains("fristName") }, "\(wrong)")
        #expect(wrong.contains { $0.hasPrefix("Person.owned: The members of a to-many") }, "\(wrong)")
        #expect(wrong.contains("Person.size: Person has no property “size” in the new version."), "\(wrong)")
        #expect(wrong.contains { $0.hasPrefix("Nobody: The mapping has rules for “Nobody”") }, "\(wrong)")
        for text in ["[]", "{}", #"{"entities": {"A": {"to": "B"}}}"#, #"{"entities": {"A": {"set": {"b": "1 +"}}}}"#] {
            #expect(throws: ModelError.self) { try Self.rules(text) }
        }
    }

    @Test("references to objects of another entity are lost, and told, rather than read as keys of the new one")
    func otherDestination() throws {
        func model(_ destination: String, _ name: String) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                Model {
                    Entity("Order") { Relationship(name, toOne: destination).optional() }
                    Entity("Customer") { Attribute("name", .string).optional() }
                    Entity("Client") { Attribute("name", .string).optional() }
                }
            )
        }
        let old = try model("Customer", "buyer")
        for (new, rules) in [
            (try model("Client", "buyer"), MappingRules()),
            (try model("Client", "client"), try Self.rules(#"{"entities": {"Order": {"set": {"client": "buyer"}}}}"#)),
        ] {
            let stores = try MigratedStores(old) { coordinator in
                try coordinator.withContext { context in
                    for _ in 0..<3 {
                        let order = try context.insert("Order")
                        try order.setObject(context.insert("Customer"), forKey: "buyer")
                        _ = try context.insert("Client")
                    }
                    try context.save()
                }
            }
            let report = try stores.migrate(by: ModelMigration(from: old, to: new, rules: rules))
            #expect(report.stages[0].losses == [.init(entity: "Order", property: "buyer", objectCount: 3)])
            try stores.expectSame(new)
            let content = try stores.content(new)
            #expect(content.objects.values.allSatisfy { $0.related.values.allSatisfy(\.isEmpty) })
        }
    }

    @Test("a source in user info isn't followed again by later versions")
    func swapped() throws {
        func model(_ sources: [String: String], _ extra: Bool) throws -> ManagedObjectModel {
            var model = Model {
                Entity("A") { Attribute("name", .string) }
                Entity("B") { Attribute("name", .string) }
            }
            for place in model.entities.indices {
                if let source = sources[model.entities[place].name] {
                    model.entities[place].userInfo = ["migrationSource": source]
                }
                if extra { model.entities[place].attributes.append(Attribute("size", .int16).optional()) }
            }
            return try ManagedObjectModel(model)
        }
        let versions = [
            try model([:], false), try model(["A": "B", "B": "A"], false), try model(["A": "B", "B": "A"], true),
        ]
        let stores = try MigratedStores(versions[0]) { coordinator in
            try coordinator.withContext { context in
                for name in ["A", "B"] { try context.insert(name).setValue(.string(name), forKey: "name") }
                try context.save()
            }
        }
        func names(_ model: ManagedObjectModel) throws -> Set<String> {
            Set(try stores.content(model).objects.map { "\($0.key.prefix(1)) \($0.value.values["name"] ?? .null)" })
        }
        let before = try names(versions[0])
        try stores.migrate(by: ModelMigration(from: versions[0], to: versions[1]))
        let swapped = try names(versions[1])
        #expect(swapped != before && swapped.count == 2)
        try stores.migrate(by: ModelMigration(from: versions[1], to: versions[2]))
        #expect(try names(versions[2]) == swapped)
    }

    @Test("what an ignored or partial rule doesn't resolve stays an obstacle, and a source can be used once")
    func remainingObstacles() throws {
        func obstacles(_ old: Model, _ new: Model, _ rules: String?) throws -> [String] {
            let given = try rules.map(Self.rules) ?? MappingRules()
            return ModelDiff(from: old, to: new, rules: given).obstacles.map(\.code.rawValue)
        }
        let nick = Attribute("nick", .string).userInfo(["migrationValue": "name"])
        let optional = Model {
            Entity("P") {
                Attribute("name", .string)
                nick.optional()
            }
        }
        let required = Model {
            Entity("P") {
                Attribute("name", .string)
                nick
            }
        }
        #expect(try obstacles(optional, required, nil) == ["migration.required"])
        func sized(_ type: AttributeType) -> Model {
            Model {
                Entity("Base", isAbstract: true) { Attribute("size", type).optional() }
                Entity("One", parent: "Base") {}
                Entity("Two", parent: "Base") {}
            }
        }
        let one = #"{"One": {"set": {"size": "CAST(size, 'NSNumber')"}}"#
        let two = one + #", "Two": {"set": {"size": "CAST(size, 'NSNumber')"}}"#
        #expect(try obstacles(sized(.string), sized(.int16), #"{"entities": \#(one)}}"#) == ["migration.type"])
        #expect(try obstacles(sized(.string), sized(.int16), #"{"entities": \#(two)}}"#) == [])
        let staff = Model { Entity("Employee") { Attribute("name", .string) } }
        let split = Model {
            Entity("Manager") { Attribute("name", .string) }
            Entity("Worker") { Attribute("name", .string) }
        }
        let both = #"{"entities": {"Manager": {"from": "Employee"}, "Worker": {"from": "Employee"}}}"#
        #expect(try obstacles(staff, split, both) == ["migration.rule"])
    }

    @Test("references that a rule replaces are told, and derived values follow a filter")
    func replaced() throws {
        let old = Model {
            Entity("Employee") {
                Attribute("name", .string)
                Relationship("department", toOne: "Department", inverse: "employees").optional()
                Relationship("manager", toOne: "Employee", inverse: "reports").optional()
                Relationship("reports", toMany: "Employee", inverse: "manager").optional()
            }
            Entity("Department") {
                Attribute("count", .int64).optional().derived("employees.@count")
                Relationship("employees", toMany: "Employee", inverse: "department").optional()
            }
        }
        let model = try ManagedObjectModel(old)
        let stores = try MigratedStores(model) { coordinator in
            try coordinator.withContext { context in
                let departments = [try context.insert("Department"), try context.insert("Department")]
                var last: ManagedObject?
                for number in 0..<4 {
                    let employee = try context.insert("Employee")
                    try employee.setValue(.string("\(number)"), forKey: "name")
                    try employee.setObject(departments[number % 2], forKey: "department")
                    try employee.setObject(last, forKey: "manager")
                    last = employee
                }
                try context.save()
            }
        }
        let rules = try Self.rules(
            #"{"entities": {"Employee": {"where": "name != '3'", "set": {"department": "manager.department"}}}}"#
        )
        let report = try stores.migrate(by: ModelMigration(from: model, to: model, rules: rules))
        #expect(!report.isLossless && report.stages[0].losses.contains { $0.property == "employees" })
        #expect(report.stages[0].entities.first { $0.name == "Employee" }?.outcome == .rewritten)
        try stores.expectSame(model)
        let content = try stores.content(model)
        let counts = content.objects.values.compactMap { $0.values["count"] }
        #expect(Set(counts) == [1] && counts.count == 2)
    }

    @Test("a value that doesn't fit ends the migration, and the store is as before", arguments: [false, true])
    func unsuitable(isOpen: Bool) throws {
        let stores = try Self.stores()
        let before = try stores.content(stores.model)
        let new = try ManagedObjectModel(Self.second)
        let rules = try Self.rules(
            #"{"entities": {"Person": {"from": "User", "set": {"name": "firstName", "age": "lastName"}}}}"#
        )
        let migration = try ModelMigration(from: stores.model, to: new, rules: rules)
        let error = #expect(throws: MigrationRuleError.self) { try stores.migrate(by: migration, isOpen: isOpen) }
        #expect(error?.message.contains("“age” must be Int16, but its rule yields the value") == true)
        #expect(throws: MigrationRuleError.self) { try SQLiteStore.migrate(path: stores.sqlite, by: migration) }
        try stores.expectSame(stores.model)
        #expect(try stores.content(stores.model) == before)
    }
}

@Suite("Xcode's mapping models")
struct MappingModelTests {
    /// A mapping model as Xcode writes it, with one entity mapping.
    private static func mapping(_ values: String, _ properties: String = "") -> [UInt8] {
        Array(
            """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
            <database>
                <databaseInfo><version>134481920</version></databaseInfo>
                <object type="XDDEVENTITYMAPPING" id="z1">
                    <attribute name="destinationname" type="string">Person</attribute>
                    \(values)
                    <relationship name="attributemappings" type="0/0" destination="X" idrefs="z2"></relationship>
                    <relationship name="relationshipmappings" type="0/0" destination="X" idrefs="z3"></relationship>
                </object>
                \(properties)
            </database>
            """.utf8
        )
    }

    @Test("sources and paths of relationships are rules, and custom policies are refused with the place")
    func rules() throws {
        let source = #"<attribute name="sourcename" type="string">User</attribute>"#
        let relationship = #"""
            <object type="XDDEVRELATIONSHIPMAPPING" id="z3">
                <attribute name="name" type="string">owned</attribute>
                <attribute name="sourcekeypath" type="string">files</attribute>
            </object>
            """#
        let rules = try MappingRules(mappingModel: Self.mapping(source, relationship))
        #expect(rules.entities["Person"]?.source == "User")
        #expect(rules.entities["Person"]?.values == ["owned": .keyPath("files")])
        let policy = #"<attribute name="migrationpolicyclassname" type="string">App.UserPolicy</attribute>"#
        let error = #expect(throws: ModelError.self) {
            try MappingRules(mappingModel: Self.mapping(source + policy), file: "Map.xml")
        }
        #expect(error?.message == "The mapping calls custom code: App.UserPolicy.")
        #expect(error?.place.entity == "Person" && error?.place.file == "Map.xml")
        for text in ["", "<database/>", "<a>"] {
            #expect(throws: ModelError.self) { try MappingRules(mappingModel: Array(text.utf8)) }
        }
    }

    @Test("a relationship that only gets another name keeps its members")
    func renamed() throws {
        let old = try ManagedObjectModel(
            Model {
                Entity("Team") {
                    Attribute("name", .string)
                    Relationship("people", toMany: "Player", inverse: "team").optional().ordered()
                }
                Entity("Player") { Relationship("team", toOne: "Team", inverse: "people").optional() }
            }
        )
        let new = try ManagedObjectModel(
            Model {
                Entity("Team") {
                    Attribute("title", .string)
                    Relationship("members", toMany: "Player", inverse: "side").optional().ordered()
                }
                Entity("Player") { Relationship("side", toOne: "Team", inverse: "members").optional() }
            }
        )
        let rules = try MappingRules(
            json: Array(
                #"{"entities": {"Team": {"set": {"title": "name", "members": "people"}}, "Player": {"set": {"side": "team"}}}}"#
                    .utf8
            )
        )
        let stores = try MigratedStores(old, seed: 5, size: 30)
        let count = try stores.content(old).objects.values.reduce(0) { $0 + ($1.related["people"]?.count ?? 0) }
        let report = try stores.migrate(by: ModelMigration(from: old, to: new, rules: rules))
        #expect(report.isLossless && report.stages[0].entities.allSatisfy { $0.outcome == .kept })
        try stores.expectSame(new)
        #expect(try stores.content(new).objects.values.reduce(0) { $0 + ($1.related["members"]?.count ?? 0) } == count)
        #expect(count > 0)
    }

    @Test(
        "real mapping models are read, or the place says what can't be",
        .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no mapping models")
    )
    func corpus() throws {
        let folder = try #require(Corpus.path) + "/mappingmodels"
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        var read = 0
        for file in files where file.hasSuffix("xcmapping.xml") {
            let bytes = Array(try Data(contentsOf: URL(filePath: folder + "/" + file)))
            do {
                let rules = try MappingRules(mappingModel: bytes, file: file)
                #expect(!rules.entities.isEmpty)
                read += 1
            } catch {
                #expect(error.place.entity != nil, "\(file): \(error)")
                #expect(
                    error.message.contains("custom code") || error.message.contains("Several entities"),
                    "\(file): \(error)"
                )
            }
        }
        #expect(read > 10)
    }
}
