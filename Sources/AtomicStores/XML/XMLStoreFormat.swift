// SPDX-License-Identifier: Apache-2.0

// The XML format: readable, with line-by-line differences.

public import ObjectGraph
import XML

extension AtomicFileFormat where Self == XMLStoreFormat {
    /// A readable format in which a changed value is a changed line.
    public static var xml: XMLStoreFormat { XMLStoreFormat() }
}

/// The format of XML stores: a head, then the objects in a stable order with a line for each value that isn't nil.
///
///     <object entity="Post" id="7" version="2">
///         <attribute name="title">Faults</attribute>
///         <to-one name="author">3</to-one>
///         <to-many name="tags">4 9</to-many>
///     </object>
public struct XMLStoreFormat: AtomicFileFormat {
    public var storeType: String { "XML" }

    static let version = 1
    /// The nesting of values. With the elements around them it remains below the XML reader's own limit.
    static let depthLimit = 48

    public init() {}

    public func read(_ bytes: [UInt8], model: ManagedObjectModel) throws(StoreFileError) -> StoreContent {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLElement(parsing: bytes, limits: XMLLimits(bytes: .max)).withoutLayout()
        } catch {
            throw StoreFileError(.damaged, error.message, at: error.position.map(StoreFileError.Place.text))
        }
        return try XMLStoreReader(model: model).content(of: root)
    }

    public func write(_ content: StoreContent, model: ManagedObjectModel) throws(StoreFileError) -> [UInt8] {
        let root = try XMLStoreWriter(model: model).root(of: content)
        do throws(XMLError) {
            return Array(try root.serialized(XMLFormat(declaration: .plain, endsWithNewline: true)).utf8)
        } catch {
            throw StoreFileError(.unwritable, error.message)
        }
    }
}
