// SPDX-License-Identifier: Apache-2.0
// Parses the XML declaration, the document type, comments and processing instructions.

extension XMLReader {
    mutating func declaration() throws(XMLError) {
        guard starts(with: "<?xml"), index + 5 < bytes.count, bytes[index + 5].isXMLSpace else { return }
        index += 5
        guard let version = try pseudoAttribute("version") else { throw expected("version=\"1.0\"") }
        guard version.value.hasPrefix("1.") else {
            throw .misplaced(
                "The XML version must be 1.0, not \(version.value).",
                at: position(of: version.offset)
            )
        }
        if let encoding = try pseudoAttribute("encoding") {
            guard ["utf-8", "us-ascii"].contains(encoding.value.lowercased()) else {
                throw .unsupportedEncoding(encoding.value, at: position(of: encoding.offset))
            }
        }
        if let standalone = try pseudoAttribute("standalone") {
            guard ["yes", "no"].contains(standalone.value) else {
                throw .misplaced("Standalone must be yes or no.", at: position(of: standalone.offset))
            }
        }
        skipSpace()
        guard starts(with: "?>") else { throw expected("?> to end the XML declaration") }
        index += 2
    }

    private mutating func pseudoAttribute(
        _ wanted: String
    ) throws(XMLError) -> (value: String, offset: Int)? {
        let start = index
        guard skipSpace(), starts(with: wanted) else {
            index = start
            return nil
        }
        index += wanted.utf8.count
        skipSpace()
        try expect(.equals, "= after \(wanted)")
        skipSpace()
        let offset = index + 1
        return (try literal("a quoted value for \(wanted)"), offset)
    }

    /// Reads the name and the identifiers. The internal subset is skipped: no entity expands, and nothing is loaded.
    mutating func documentType() throws(XMLError) -> XMLDoctype {
        index += 9
        try skipRequiredSpace("after <!DOCTYPE")
        var doctype = XMLDoctype(try name("the name of the document type"))
        if skipSpace() {
            if starts(with: "PUBLIC") {
                index += 6
                try skipRequiredSpace("after PUBLIC")
                doctype.publicID = try literal("a quoted public identifier")
                try skipRequiredSpace("after the public identifier")
                doctype.systemID = try literal("a quoted system identifier")
            } else if starts(with: "SYSTEM") {
                index += 6
                try skipRequiredSpace("after SYSTEM")
                doctype.systemID = try literal("a quoted system identifier")
            }
        }
        skipSpace()
        if current == .openBracket {
            try skipInternalSubset()
            skipSpace()
        }
        try expect(.greaterThan, "> to end the document type")
        return doctype
    }

    private mutating func skipInternalSubset() throws(XMLError) {
        index += 1
        while current != .closeBracket {
            if starts(with: "<!--") {
                _ = try comment()
            } else if starts(with: "<?") {
                try skipInstruction()
            } else if starts(with: "<!") {
                try skipDeclaration()
            } else if current == UInt8(ascii: "%") {
                index += 1
                _ = try name("the name of a parameter entity")
                try expect(.semicolon, "; to end the reference")
            } else if !skipSpace() {
                throw expected("a declaration, or ] to end the declarations")
            }
        }
        index += 1
    }

    private mutating func skipDeclaration() throws(XMLError) {
        while current != .greaterThan {
            if current == .quote || current == .apostrophe {
                _ = try literal("a quoted value")
            } else if index < bytes.count {
                index += 1
            } else {
                throw expected("> to end the declaration")
            }
        }
        index += 1
    }

    /// A quoted literal, in which references are not resolved.
    private mutating func literal(_ what: String) throws(XMLError) -> String {
        let quote = current
        guard quote == .quote || quote == .apostrophe else { throw expected(what) }
        index += 1
        let start = index
        while current != quote {
            guard index < bytes.count else { throw expected("a closing quotation mark") }
            index += 1
        }
        defer { index += 1 }
        return string(from: start)
    }

    mutating func comment() throws(XMLError) -> String {
        index += 4
        let start = index
        while !starts(with: "--") {
            guard index < bytes.count else { throw expected("--> to end the comment") }
            index += 1
        }
        let text = normalized(from: start)
        guard starts(with: "-->") else {
            throw .misplaced("A comment must not contain -- before its end.", at: position())
        }
        index += 3
        return text
    }

    mutating func skipInstruction() throws(XMLError) {
        let start = index
        index += 2
        guard try name("the name of a processing instruction").lowercased() != "xml" else {
            throw .misplaced("An XML declaration is allowed only at the very start.", at: position(of: start))
        }
        if !starts(with: "?>") { try skipRequiredSpace("or ?> after the name of a processing instruction") }
        while !starts(with: "?>") {
            guard index < bytes.count else { throw expected("?> to end the processing instruction") }
            index += 1
        }
        index += 2
    }
}
