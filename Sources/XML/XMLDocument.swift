// SPDX-License-Identifier: Apache-2.0
// A complete XML text: the root element and what precedes it.

/// A root element with the document type and comments that precede it. Comments after the root are discarded.
public struct XMLDocument: Hashable, Sendable {
    public var doctype: XMLDoctype?
    /// Comments before the root element.
    public var comments: [String]
    public var root: XMLElement

    public init(doctype: XMLDoctype? = nil, comments: [String] = [], root: XMLElement) {
        self.doctype = doctype
        self.comments = comments
        self.root = root
    }

    /// Parses a document from UTF-8 bytes.
    public init(parsing bytes: some Sequence<UInt8>, limits: XMLLimits = .default) throws(XMLError) {
        var reader = XMLReader(bytes: Array(bytes), limits: limits)
        self = try reader.document()
    }

    /// Parses a document from a string; an encoding in its declaration must still be UTF-8 or US-ASCII.
    public init(parsing text: String, limits: XMLLimits = .default) throws(XMLError) {
        try self.init(parsing: text.utf8, limits: limits)
    }
}

/// The name and identifiers of `<!DOCTYPE …>`. Its declarations are skipped, and nothing that it refers to is loaded.
public struct XMLDoctype: Hashable, Sendable {
    public var name: String
    public var publicID: String?
    public var systemID: String?

    public init(_ name: String, publicID: String? = nil, systemID: String? = nil) {
        self.name = name
        self.publicID = publicID
        self.systemID = systemID
    }
}

extension XMLElement {
    /// Parses the root element of a document from UTF-8 bytes.
    public init(parsing bytes: some Sequence<UInt8>, limits: XMLLimits = .default) throws(XMLError) {
        self = try XMLDocument(parsing: bytes, limits: limits).root
    }

    /// Parses the root element of a document from a string.
    public init(parsing text: String, limits: XMLLimits = .default) throws(XMLError) {
        self = try XMLDocument(parsing: text, limits: limits).root
    }
}
