// SPDX-License-Identifier: Apache-2.0

// The property list `.xccurrentversion`, by which a bundle says which of its versions is current.

import XML

enum CurrentVersionNote {
    static let fileName = ".xccurrentversion"
    private static let key = "_XCCurrentVersionName"

    /// The file name of the current version, such as `Model 2.xcdatamodel`; nil if the note says none.
    static func read(_ bytes: [UInt8]) throws(XMLError) -> String? {
        let root = try XMLElement(parsing: bytes)
        guard root.name == "plist", let elements = root.first(named: "dict")?.elements else { return nil }
        for (name, value) in zip(elements, elements.dropFirst())
        where name.name == "key" && name.text == key && value.name == "string" {
            return value.text
        }
        return nil
    }

    static func written(_ version: String) throws(XMLError) -> [UInt8] {
        let root = XMLElement(
            "plist",
            ["version": "1.0"],
            [XMLElement("dict", [:], [XMLElement("key", text: key), XMLElement("string", text: version)])]
        )
        let doctype = XMLDoctype(
            "plist",
            publicID: "-//Apple//DTD PLIST 1.0//EN",
            systemID: "http://www.apple.com/DTDs/PropertyList-1.0.dtd"
        )
        return Array(try XMLDocument(doctype: doctype, root: root).serialized(.propertyList).utf8)
    }
}
