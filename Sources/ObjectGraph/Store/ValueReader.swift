// SPDX-License-Identifier: Apache-2.0

// Reading large values from a store in pieces.

public import FoundationEssentials
import ObjectModel
import Predicates

/// The bytes of a value as of when it was opened, unaffected by later saves.
public protocol ValueReader: Sendable {
    var size: Int { get }

    /// Whether it holds a state of the store, which prevents checkpoints of its log: don't keep it for long.
    var holdsState: Bool { get }

    /// The bytes of a range, fewer if the value ends before.
    func read(_ range: Range<Int>) throws -> [UInt8]
}

extension ValueReader {
    public var holdsState: Bool { false }
}

/// The bytes of a value in memory.
public struct DataReader: ValueReader {
    private let data: Data

    public init(_ data: Data) {
        self.data = data
    }

    public var size: Int { data.count }

    public func read(_ range: Range<Int>) -> [UInt8] {
        let range = range.clamped(to: 0..<data.count)
        return [UInt8](data.dropFirst(range.lowerBound).prefix(range.count))
    }
}

extension PersistentStore {
    /// The default: reads the object's row.
    public func openValue(
        of attribute: AttributeDescription,
        object: ManagedObjectID,
        at generation: (any StoreGeneration)?
    ) throws -> (any ValueReader)? {
        try attribute.checkIsBinary()
        guard let row = try snapshots(of: [object], at: generation)[0],
            let slot = row.objectID.entity.attribute(named: attribute.name)?.slot,
            case .data(let data) = row.row.attributes[slot]
        else { return nil }
        return DataReader(data)
    }
}

extension AttributeDescription {
    /// Throws unless the attribute is binary; other values can't be read or written in pieces.
    public func checkIsBinary() throws(GraphError) {
        guard type != .binary else { return }
        throw GraphError(
            .wrongType,
            "“\(name)” isn't a binary attribute, so it can't be read or written in pieces.",
            property: name
        )
    }
}
