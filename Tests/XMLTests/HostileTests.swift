// SPDX-License-Identifier: Apache-2.0
// Texts designed to crash or stall a reader, or to fill its memory.

import SourceText
import Testing
import XML

@Suite struct HostileTests {
    private func code(_ text: some Sequence<UInt8>, limits: XMLLimits = .default) throws -> XMLError.Code {
        try #require(throws: XMLError.self) { try XMLElement(parsing: text, limits: limits) }.code
    }

    @Test("a million open elements are refused at the depth limit")
    func depth() throws {
        let deep = Array(repeatElement("<a>".utf8, count: 1_000_000).joined())
        let error = try #require(throws: XMLError.self) { try XMLElement(parsing: deep) }
        #expect(error.code == .limitExceeded)
        #expect(error.position == TextPosition(line: 1, column: 128 * 3 + 1))
    }

    @Test("elements can nest up to the limit, but no deeper")
    func depthLimit() throws {
        let limits = XMLLimits(depth: 3)
        #expect(throws: Never.self) { try XMLElement(parsing: "<a><b><c/></b></a>", limits: limits) }
        #expect(try code("<a><b><c><d/></c></b></a>".utf8, limits: limits) == .limitExceeded)
    }

    @Test("entities declared by a document are never expanded")
    func billionLaughs() throws {
        var text = "<!DOCTYPE x [<!ENTITY a0 'ha'>"
        for i in 1..<30 { text += "<!ENTITY a\(i) '&a\(i - 1);&a\(i - 1);'>" }
        #expect(try code((text + "]><x>&a29;</x>").utf8) == .undeclaredEntity)
        #expect(try code("<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><x>&a;</x>".utf8) == .undeclaredEntity)
    }

    @Test("an attribute of many megabytes is read whole")
    func hugeAttribute() throws {
        let value = String(repeating: "x", count: 8 << 20)
        #expect(try XMLElement(parsing: "<a b='\(value)'/>")["b"] == value)
    }

    @Test("texts and elements beyond the limits are refused")
    func limits() throws {
        #expect(try code("<abcdef/>".utf8, limits: XMLLimits(bytes: 8)) == .limitExceeded)
        let attributes = (0..<257).map { " a\($0)=''" }
        #expect(try code("<a\(attributes.joined())/>".utf8) == .limitExceeded)
        #expect(try XMLElement(parsing: "<a\(attributes.dropLast().joined())/>").attributes.count == 256)
    }

    @Test("a repeated attribute is found among many", arguments: [1, 15, 16, 17, 40])
    func duplicateAmongMany(count: Int) throws {
        let attributes = (0..<count).map { " a\($0)=''" }
        for repeated in [0, count - 1] {
            #expect(try code("<a\(attributes.joined()) a\(repeated)=''/>".utf8) == .duplicateAttribute)
        }
    }

    static let sample = """
        \u{FEFF}<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <!DOCTYPE größe PUBLIC "-//x" 'y' [<!ENTITY e "]>"><!-- c --><?p?>%q;]>
        <!-- ünd -->\r
        <größe a="1&#x10FFFF;&amp;" b='\t2'>x]]<![CDATA[ <y> ]]><?pi data?>
            <b c="d"/>&lt;<!-- e --> 😀
        </größe><!-- f --><?g?>
        """

    @Test("a document truncated or damaged at any byte gives an error or a tree")
    func damaged() throws {
        let bytes = Array(Self.sample.utf8)
        #expect(throws: Never.self) { try XMLElement(parsing: bytes) }
        let rootEnd = bytes.count - "<!-- f --><?g?>".utf8.count
        for end in 0..<rootEnd {
            #expect(throws: XMLError.self, "cut at \(end)") { try XMLElement(parsing: bytes[..<end]) }
        }
        for offset in bytes.indices {
            for byte in [0x00, 0x0D, 0x22, 0x26, 0x3C, 0x3E, 0x5D, 0x80, 0xEF, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[offset] = byte
                if let tree = try? XMLElement(parsing: damaged) {
                    #expect(try XMLElement(parsing: tree.serialized(.compact)) == tree, "byte \(byte) at \(offset)")
                }
            }
        }
    }
}
