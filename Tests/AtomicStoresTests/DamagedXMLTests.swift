// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("XML stores with editing errors")
struct DamagedXMLTests {
    /// A replacement in the file's text, and the reader's message about it.
    struct Edit: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let message: String

        var testDescription: String { new }

        static let all = [
            Edit(old: "<store format=\"1\"", new: "<shop format=\"1\"", message: "5:81: Expected </shop> to close"),
            Edit(old: "format=\"1\"", new: "format=\"2\"", message: "2:1: The file has version 2 of its format"),
            Edit(old: "lastReference=\"2\"", new: "lastReference=\"x\"", message: "2:1: The identifier or the last"),
            Edit(old: "lastReference=\"2\"", new: "", message: "2:1: <store> needs “lastReference”."),
            Edit(
                old: "id=\"1\"",
                new: "id=\"one\"",
                message: "3:5: The id or the version of an object isn't a number."
            ),
            Edit(old: "id=\"1\"", new: "id=\"2\"", message: "Two objects have the reference 2."),
            Edit(
                old: "entity=\"Note\" id=\"1\"",
                new: "entity=\"Memo\" id=\"1\"",
                message: "3:5: The model has no entity"
            ),
            Edit(old: "\"made\"", new: "\"mode\"", message: "3:46: Note has no stored attribute “mode”."),
            Edit(old: ">2001-01-01T00:00:00Z<", new: ">today<", message: "3:46: “today” isn't a valid date."),
            Edit(
                old: "<to-many name=\"children\">2<",
                new: "<to-many name=\"children\">2 b<",
                message: "3:101: “children” of"
            ),
            Edit(
                old: "<to-many name=\"children\">2<",
                new: "<to-many name=\"children\">7<",
                message: "“children” of Note 1"
            ),
            Edit(old: ">1</to-one>", new: "></to-one>", message: "4:46: “parent” of Note 2 isn't a reference."),
            Edit(old: "</store>", new: "<note/></store>", message: "5:81: <note> isn't allowed here."),
            Edit(old: "</store>", new: "", message: "6:1: Expected </store>"),
            Edit(
                old: "<to-one name=\"parent\">1</to-one>",
                new: "<attribute name=\"tree\"><list/></attribute>",
                message: "4:69: <list> isn't allowed here."
            ),
            Edit(
                old: "<to-one name=\"parent\">1</to-one>",
                new: "<attribute name=\"tree\"><string encoding=\"rot13\">a</string></attribute>",
                message: "4:69: The text of <string> has an unknown encoding."
            ),
        ]
    }

    @Test("the message names the error and its position, and the file is unchanged", arguments: Edit.all)
    func edits(edit: Edit) throws {
        let model = try Fixture.small.get()
        let hash = try #require(model.model.versionHashes()["Note"]).base64
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <store format="1" identifier="\(UUID().uuidString)" lastReference="2">
                <object entity="Note" id="1" version="1"><attribute name="made">2001-01-01T00:00:00Z</attribute>\
            <to-many name="children">2</to-many></object>
                <object entity="Note" id="2" version="1"><to-one name="parent">1</to-one></object>
            <entity name="Note" versionHash="\(hash)"/></store>

            """
        try Checkout.withFolder { folder in
            let path = folder + "/Notes.xml"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: Never.self) { try AtomicStore(path: path, format: .xml, model: model) }
            let damaged = text.replacing(edit.old, with: edit.new, maxReplacements: 1)
            #expect(damaged != text)
            try damaged.write(toFile: path, atomically: false, encoding: .utf8)
            let error = #expect(throws: StoreFileError.self) {
                try AtomicStore(path: path, format: .xml, model: model)
            }
            let prefix = error?.place == nil ? path + ": " : path + ":"
            #expect("\(try #require(error))".hasPrefix(prefix + edit.message), "\(String(describing: error))")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == damaged)
        }
    }
}
