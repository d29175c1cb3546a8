// SPDX-License-Identifier: Apache-2.0

// The names that `import Outcrop` makes visible.

import Foundation
import Outcrop
import TestSupport
import Testing

// An app's own types of the same names.

private struct Entity { let name: String }
private struct Function { let name: String }
private struct Keys { let name: String }
private struct Model { let name: String }
private struct Row { let name: String }
private struct Search { let name: String }
private struct Value { let name: String }

@Suite("Public names")
struct NameTests {
    /// Types of Foundation, some of them on Apple's systems only, whose names a library like this might use.
    private static let foundation: Set<Substring> = [
        "Bundle", "Calendar", "CharacterSet", "Data", "Date", "Decimal", "Dimension", "Expression", "FileHandle",
        "FileManager",
        "Formatter", "IndexPath", "IndexSet", "JSONDecoder", "JSONEncoder", "Locale", "Measurement", "Notification",
        "NotificationCenter", "NSAttributeDescription", "NSManagedObject", "Operation", "OperationQueue", "Predicate",
        "PredicateExpression", "Process", "Progress", "PropertyListDecoder", "Scanner", "SortComparator",
        "SortDescriptor",
        "SortOrder", "Stream", "Thread", "Timer", "URL", "UUID", "UndoManager", "Unit", "UserDefaults",
        "ValueTransformer",
        "XMLDocument", "XMLElement", "XMLNode", "XMLParser",
    ]

    @Test("no public type has the name of a type in Foundation")
    func foundation() throws {
        var names: Set<Substring> = []
        for module in ["AtomicStores", "ObjectGraph", "ObjectModel", "Predicates", "SQLiteStore"] {
            let folder = "Sources/" + module
            for file in try FileManager.default.subpathsOfDirectory(atPath: Checkout.path + "/" + folder)
            where file.hasSuffix(".swift") {
                let text = try Checkout.text(of: folder + "/" + file)
                let pattern =
                    /(?m)^(?:public|open) (?:final |indirect )*(?:actor|class|enum|protocol|struct|typealias) (\w+)/
                names.formUnion(text.matches(of: pattern).map(\.1))
            }
        }
        #expect(names.count > 100)
        #expect(names.intersection(Self.foundation).isEmpty)
    }

    @Test("an app can have its own types of the same names, and use the module's name for ours")
    func ownTypes() throws {
        let own = [
            Entity(name: "a").name, Function(name: "b").name, Keys(name: "c").name, Model(name: "d").name,
            Row(name: "e").name,
            Search(name: "f").name, Value(name: "g").name,
        ]
        #expect(own.joined() == "abcdefg")
        let model = Outcrop.Model { Outcrop.Entity("Tag") { Outcrop.Attribute("name", .string) } }
        let value: Outcrop.Value = "swift"
        #expect(model.entities.map(\.name) == ["Tag"])
        #expect(Outcrop.ObjectExpression.constant(value).description == "\"swift\"")
    }
}
