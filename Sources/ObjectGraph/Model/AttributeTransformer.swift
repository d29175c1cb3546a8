// SPDX-License-Identifier: Apache-2.0

// Custom value transformers, named by a model's transformable attributes.

import FoundationEssentials
public import Predicates

/// Transforms the values of a transformable attribute into bytes for the store, and back.
///
///     struct ColorTransformer: AttributeTransformer {
///         func bytes(of value: Value) throws -> [UInt8] { … }
///         func value(of bytes: [UInt8]) throws -> Value { … }
///     }
///     let model = try ManagedObjectModel(palette, transformers: ["ColorTransformer": ColorTransformer()])
///
/// An attribute of type `.transformable(transformer: "ColorTransformer")` uses the transformer registered under that
/// name. Both methods are called on any thread.
public protocol AttributeTransformer: Sendable {
    /// The bytes of a value, which is never nil. An error makes the save fail with it as the reason.
    func bytes(of value: Value) throws -> [UInt8]

    /// The value of bytes. If it throws, the value is the bytes, as without a transformer.
    func value(of bytes: [UInt8]) throws -> Value
}

extension AttributeDescription {
    /// Whether values are transformed by an app's class that isn't registered, so that their bytes are opaque.
    public var isTransformedByApp: Bool { transformer == nil && type.isTransformedByApp }

    /// A value for a store that keeps data but doesn't know the attribute's transformer.
    public func transformed(_ value: Value) -> Value {
        guard hasTransformer else { return value }
        if case .dictionary(var members) = value, !elements.isEmpty {
            for element in elements { members[element.name] = members[element.name].map(element.transformed) }
            return .dictionary(members)
        }
        guard let transformer, value != .null, let bytes = try? transformer.bytes(of: value) else { return value }
        return .data(Data(bytes))
    }

    /// Reverts `transformed(_:)`.
    public func restored(_ value: Value) -> Value {
        guard hasTransformer else { return value }
        if case .dictionary(var members) = value, !elements.isEmpty {
            for element in elements { members[element.name] = members[element.name].map(element.restored) }
            return .dictionary(members)
        }
        guard let transformer, case .data(let data) = value else { return value }
        return (try? transformer.value(of: Array(data))) ?? value
    }
}
