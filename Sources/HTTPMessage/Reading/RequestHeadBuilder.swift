// SPDX-License-Identifier: Apache-2.0

// Builds a request's head from its lines, and refuses what two parsers could interpret differently.

struct RequestHeadBuilder: Sendable {
    private var method = HTTPMethod.get
    private var target = ""
    private var minorVersion = 1
    /// Offsets from the head's first byte.
    private var fieldRanges: [HeaderFields.FieldRanges] = []
    private var hasHost = false
    private var length: Int?
    private var isChunked = false
    private var hasUnknownCoding = false
    private var hasCloseOption = false
    private var hasKeepAliveOption = false
    private var expectsContinue = false

    /// The bytes of the fields so far, including line ends.
    private(set) var fieldBytes = 0

    var fieldCount: Int { fieldRanges.count }

    init(requestLine line: ArraySlice<UInt8>) throws(HTTPRefusal) {
        let methodEnd = line.tokenEnd
        guard methodEnd > line.startIndex, methodEnd < line.endIndex, line[methodEnd] == .space else {
            throw .malformed("The request line doesn't begin with a method and a space.")
        }
        let rest = line[(methodEnd + 1)...]
        guard let targetEnd = rest.firstIndex(where: \.isBlank), targetEnd > rest.startIndex,
            rest[targetEnd] == .space
        else {
            throw .malformed("The request line must have a method, a target and a version, separated by single spaces.")
        }
        minorVersion = try Self.minorVersion(rest[(targetEnd + 1)...])
        method = HTTPMethod(String(decoding: line[..<methodEnd], as: UTF8.self))
        guard let target = rest[..<targetEnd].text else {
            throw .malformed("The target isn't valid UTF-8.")
        }
        guard target != "*" || method == .options else { throw .malformed("Only OPTIONS can have the target *.") }
        self.target = target
        fieldRanges.reserveCapacity(16)
    }

    /// Reads `Name: value` at a range of `bytes`, in which the head begins at `start`.
    mutating func addField(at line: Range<Int>, of bytes: [UInt8], from start: Int) throws(HTTPRefusal) {
        let (name, value) = try Self.field(bytes[line])
        fieldBytes += line.count + 2
        fieldRanges.append(
            HeaderFields.FieldRanges(
                name: (name.startIndex - start)..<(name.endIndex - start),
                value: (value.startIndex - start)..<(value.endIndex - start)
            )
        )
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"): try readHost(value)
        case 6 where name.equalsIgnoringCase("expect"): try readExpect(value)
        case 10 where name.equalsIgnoringCase("connection"): readConnection(value)
        case 14 where name.equalsIgnoringCase("content-length"): try readContentLength(value)
        case 17 where name.equalsIgnoringCase("transfer-encoding"): try readTransferEncoding(value)
        default: break
        }
    }

    /// The head, given the bytes of its lines.
    consuming func head(over bytes: [UInt8]) throws(HTTPRefusal) -> HTTPRequestHead {
        guard hasHost || minorVersion == 0 else { throw .malformed("The Host field is missing.") }
        guard !hasUnknownCoding else {
            throw HTTPRefusal(.notImplemented, "Transfer-Encoding names a coding other than chunked.")
        }
        guard !isChunked || length == nil else {
            throw .malformed("Content-Length and Transfer-Encoding can't be combined.")
        }
        guard !isChunked || minorVersion == 1 else { throw .malformed("HTTP/1.0 doesn't support Transfer-Encoding.") }
        let framing: HTTPRequestHead.Framing = isChunked ? .chunked : length.map { .length($0) } ?? .none
        return HTTPRequestHead(
            method: method,
            target: target,
            minorVersion: minorVersion,
            fields: HeaderFields(bytes, fieldRanges),
            framing: framing,
            isKeepAlive: !hasCloseOption && (minorVersion == 1 || hasKeepAliveOption),
            expectsContinue: expectsContinue && minorVersion == 1 && framing != .none && framing != .length(0)
        )
    }

    /// A field's name and its trimmed value.
    static func field(
        _ line: ArraySlice<UInt8>
    ) throws(HTTPRefusal) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        let colon = line.tokenEnd
        guard colon > line.startIndex, colon < line.endIndex, line[colon] == .colon else {
            let message =
                if line.first?.isBlank == true {
                    "A line of the head begins with a space; continued fields aren't supported."
                } else if colon < line.endIndex, line[colon].isBlank {
                    "There is a space in or after the name of a header field."
                } else {
                    "A header field must be a name, a colon and a value."
                }
            throw .malformed(message)
        }
        return (line[..<colon], line[(colon + 1)...].trimmed)
    }

    private static func minorVersion(_ version: ArraySlice<UInt8>) throws(HTTPRefusal) -> Int {
        // The eight bytes of "HTTP/1.1" as one number.
        let word = version.count == 8 ? version.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } : 0
        let major = UInt8(truncatingIfNeeded: word >> 16)
        let minor = UInt8(truncatingIfNeeded: word)
        guard word & 0xFFFF_FFFF_FF00_FF00 == 0x4854_5450_2F00_2E00, major.isDigit, minor.isDigit else {
            let message = "The request line must end with a single space and HTTP/1.1."
            throw version.contains(where: \.isBlank) ? .unescaped(message) : .malformed(message)
        }
        guard major == UInt8(ascii: "1"), minor <= UInt8(ascii: "1") else {
            throw HTTPRefusal(.versionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are supported.")
        }
        return Int(minor - UInt8(ascii: "0"))
    }

    private mutating func readHost(_ value: ArraySlice<UInt8>) throws(HTTPRefusal) {
        guard !hasHost else { throw .malformed("There are several Host fields.") }
        guard value.isAuthority else { throw .malformed("The Host field isn't a valid host.") }
        hasHost = true
    }

    private mutating func readExpect(_ value: ArraySlice<UInt8>) throws(HTTPRefusal) {
        guard value.equalsIgnoringCase("100-continue") else {
            throw HTTPRefusal(.expectationFailed, "Expect must be 100-continue.")
        }
        expectsContinue = true
    }

    private mutating func readConnection(_ value: ArraySlice<UInt8>) {
        var rest = value
        while !rest.isEmpty {
            let end = rest.firstIndex(of: .comma) ?? rest.endIndex
            let option = rest[..<end].trimmed
            if option.equalsIgnoringCase("close") { hasCloseOption = true }
            if option.equalsIgnoringCase("keep-alive") { hasKeepAliveOption = true }
            rest = rest[end...].dropFirst()
        }
    }

    private mutating func readContentLength(_ value: ArraySlice<UInt8>) throws(HTTPRefusal) {
        guard length == nil else { throw .malformed("There are several Content-Length fields.") }
        guard let decimal = value.decimal else { throw .malformed("Content-Length must be a single decimal number.") }
        length = decimal
    }

    private mutating func readTransferEncoding(_ value: ArraySlice<UInt8>) throws(HTTPRefusal) {
        for coding in value.split(separator: .comma, omittingEmptySubsequences: false) {
            guard !isChunked else { throw .malformed("Transfer-Encoding names a coding after chunked.") }
            let coding = coding.trimmed
            guard !coding.isEmpty else { throw .malformed("Transfer-Encoding has an empty member.") }
            if coding.equalsIgnoringCase("chunked") { isChunked = true } else { hasUnknownCoding = true }
        }
    }
}
