// SPDX-License-Identifier: Apache-2.0
// Parses tags and builds the tree, with a stack of open elements instead of recursion.

extension XMLReader {
    mutating func rootElement() throws(XMLError) -> XMLElement {
        let (root, isClosed) = try startTag()
        guard !isClosed else { return root }
        var open = [root]
        // Adjacent text, CDATA and references form one text node, which is added before the next other node.
        var pending = ""

        while true {
            let parent = open.count - 1
            if index == bytes.count {
                throw .unclosed(open[parent], at: position())
            } else if current != .lessThan {
                pending += try characters()
            } else if starts(with: "<![CDATA[") {
                pending += try cdata()
            } else if starts(with: "<?") {
                try skipInstruction()
            } else {
                if !pending.isEmpty {
                    open[parent].children.append(.text(pending))
                    pending = ""
                }
                if starts(with: "<!--") {
                    open[parent].children.append(.comment(try comment()))
                } else if starts(with: "</") {
                    let element = open.removeLast()
                    try endTag(of: element)
                    guard parent > 0 else { return element }
                    open[parent - 1].children.append(.element(element))
                } else {
                    guard open.count < limits.depth else {
                        throw .limitExceeded(
                            "elements nested \(limits.depth + 1) deep",
                            limit: limits.depth,
                            at: position()
                        )
                    }
                    let (element, isClosed) = try startTag()
                    if isClosed {
                        open[parent].children.append(.element(element))
                    } else {
                        open.append(element)
                    }
                }
            }
        }
    }

    private mutating func startTag() throws(XMLError) -> (element: XMLElement, isClosed: Bool) {
        let start = position()
        index += 1
        var element = XMLElement(try name("a name after <"), position: start)
        var seen: Set<String> = []
        while true {
            let isSpaced = skipSpace()
            switch current {
            case .greaterThan:
                index += 1
                return (element, false)
            case .slash:
                index += 1
                try expect(.greaterThan, "> after / to end the tag <\(element.name)>")
                return (element, true)
            default:
                guard index < bytes.count else { throw expected("> to end the tag <\(element.name)>") }
                guard isSpaced else { throw expected("white space, > or /> in the tag <\(element.name)>") }
                try readAttribute(of: &element, seen: &seen)
            }
        }
    }

    private mutating func readAttribute(of element: inout XMLElement, seen: inout Set<String>) throws(XMLError) {
        let start = index
        let name = try name("an attribute name, > or /> in the tag <\(element.name)>")
        guard element.attributes.count < limits.attributes else {
            throw .limitExceeded(
                "an element of \(limits.attributes + 1) attributes",
                limit: limits.attributes,
                at: position(of: start)
            )
        }
        guard !repeats(name, in: element, seen: &seen) else {
            throw .duplicateAttribute(name, of: element.name, at: position(of: start))
        }
        skipSpace()
        try expect(.equals, "= after the attribute name \(name)")
        skipSpace()
        guard current == .quote || current == .apostrophe else {
            throw expected("a quoted value for the attribute \(name)")
        }
        element.attributes.append(XMLAttribute(name: name, value: try attributeValue()))
    }

    /// A linear search of few names is faster than hashing; many are searched in a set.
    private func repeats(_ name: String, in element: XMLElement, seen: inout Set<String>) -> Bool {
        let few = 16
        if element.attributes.count < few {
            return element.attributes.contains { $0.name == name }
        }
        if seen.isEmpty { seen = Set(element.attributes.map(\.name)) }
        return !seen.insert(name).inserted
    }

    private mutating func endTag(of element: XMLElement) throws(XMLError) {
        let start = index
        index += 2
        let name = try name("</\(element.name)>")
        guard name == element.name else {
            throw .mismatchedTag(name, open: element, at: position(of: start))
        }
        skipSpace()
        try expect(.greaterThan, "> to end the tag </\(name)>")
    }
}
