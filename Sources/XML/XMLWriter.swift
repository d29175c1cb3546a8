// SPDX-License-Identifier: Apache-2.0
// Writes trees as XML text, and refuses what XML can't represent.

import SourceText

extension XMLElement {
    /// The element as a document.
    ///
    /// An element with text among its children is written inline, without added white space, so that its text is
    /// preserved. Names, comments and characters that XML can't represent are refused as `XMLError.Code.unwritable`
    /// or `.forbiddenCharacter`.
    public func serialized(_ format: XMLFormat = .model) throws(XMLError) -> String {
        try XMLDocument(root: self).serialized(format)
    }
}

extension XMLDocument {
    /// The document as a text; see `XMLElement.serialized(_:)`.
    public func serialized(_ format: XMLFormat = .model) throws(XMLError) -> String {
        var writer = XMLWriter(format: format)
        try writer.write(self)
        return String(decoding: writer.output, as: UTF8.self)
    }
}

private struct XMLWriter {
    let format: XMLFormat
    var output: [UInt8] = []

    mutating func write(_ document: XMLDocument) throws(XMLError) {
        switch format.declaration {
        case .none: break
        case .plain: write(line: #"<?xml version="1.0" encoding="UTF-8"?>"#)
        case .standalone: write(line: #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#)
        }
        if let doctype = document.doctype { try write(doctype, at: document.root.position) }
        for comment in document.comments {
            try write(comment: comment, at: document.root.position)
            output.append(.lineFeed)
        }
        try write(
            document.root,
            level: 0,
            inner: format.indentsRootChildren ? 1 : 0,
            isInline: format.indentation == .none
        )
        if format.endsWithNewline { output.append(.lineFeed) }
    }

    private mutating func write(
        _ element: XMLElement,
        level: Int,
        inner: Int,
        isInline: Bool
    ) throws(XMLError) {
        try checkName(element.name, at: element.position)
        write("<" + element.name)
        for attribute in element.attributes {
            try checkName(attribute.name, at: element.position)
            write(" " + attribute.name + "=\"")
            try write(escaped: attribute.value, inAttribute: true, at: element.position)
            output.append(.quote)
        }
        guard !element.children.isEmpty else { return write("/>") }
        output.append(.greaterThan)

        let isInline = isInline || element.children.contains(where: \.isText)
        for child in element.children {
            if !isInline { startLine(level: inner) }
            switch child {
            case .element(let child): try write(child, level: inner, inner: inner + 1, isInline: isInline)
            case .text(let text): try write(escaped: text, inAttribute: false, at: element.position)
            case .comment(let text): try write(comment: text, at: element.position)
            }
        }
        if !isInline { startLine(level: level) }
        write("</" + element.name + ">")
    }

    private mutating func write(_ doctype: XMLDoctype, at position: TextPosition?) throws(XMLError) {
        try checkName(doctype.name, at: position)
        var parts = ["<!DOCTYPE", doctype.name]
        switch (doctype.publicID, doctype.systemID) {
        case (let publicID?, let systemID?):
            parts += ["PUBLIC", try quoted(publicID, at: position), try quoted(systemID, at: position)]
        case (nil, let systemID?):
            parts += ["SYSTEM", try quoted(systemID, at: position)]
        case (_?, nil):
            throw .unwritable("A document type with a public identifier needs a system identifier.", at: position)
        case (nil, nil):
            break
        }
        write(line: parts.joined(separator: " ") + ">")
    }

    private func quoted(_ text: String, at position: TextPosition?) throws(XMLError) -> String {
        for scalar in text.unicodeScalars where !scalar.isAllowedInXML { throw .forbidden(scalar, at: position) }
        if !text.utf8.contains(.quote) { return "\"\(text)\"" }
        if !text.utf8.contains(.apostrophe) { return "'\(text)'" }
        throw .unwritable("An identifier must not contain both kinds of quotation marks.", at: position)
    }

    private mutating func write(comment text: String, at position: TextPosition?) throws(XMLError) {
        let bytes = text.utf8
        let hasDashes = zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: "-") && $0 == $1 }
        guard !hasDashes, bytes.last != UInt8(ascii: "-"), !bytes.contains(.carriageReturn) else {
            throw .unwritable(
                "A comment must not contain -- or a carriage return, nor end in a dash.",
                at: position
            )
        }
        for scalar in text.unicodeScalars where !scalar.isAllowedInXML { throw .forbidden(scalar, at: position) }
        write("<!--" + text + "-->")
    }

    private mutating func write(
        escaped text: String,
        inAttribute: Bool,
        at position: TextPosition?
    ) throws(XMLError) {
        for scalar in text.unicodeScalars where !scalar.isAllowedInXML { throw .forbidden(scalar, at: position) }
        for byte in text.utf8 {
            switch byte {
            case .ampersand: write("&amp;")
            case .lessThan: write("&lt;")
            case .greaterThan: write("&gt;")
            case .carriageReturn: write("&#13;")
            case .quote where inAttribute: write("&quot;")
            case .tab where inAttribute: write("&#9;")
            case .lineFeed where inAttribute: write("&#10;")
            default: output.append(byte)
            }
        }
    }

    private func checkName(_ name: String, at position: TextPosition?) throws(XMLError) {
        guard name.isXMLName else { throw .unwritable("“\(name)” isn't a valid XML name.", at: position) }
    }

    private mutating func startLine(level: Int) {
        output.append(.lineFeed)
        switch format.indentation {
        case .none: break
        case .spaces(let count): output.append(contentsOf: repeatElement(.space, count: count * level))
        case .tab: output.append(contentsOf: repeatElement(.tab, count: level))
        }
    }

    private mutating func write(_ text: String) {
        output.append(contentsOf: text.utf8)
    }

    private mutating func write(line: String) {
        write(line)
        output.append(.lineFeed)
    }
}
