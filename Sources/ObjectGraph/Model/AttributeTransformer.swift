// SPDX-License-Identifier: Apache-2.0

// Value transformers of one's own, which a model's transformable attributes name.

import FoundationEssentials
public import Predicates

/// Makes bytes of the values of a transformable attribute, as a store keeps them, and values of the bytes.
///
///     struct ColorTransformer: AttributeTransformer {
///         func bytes(of value: Value) throws -> [UInt8] { … }
///         func value(of bytes: [UInt8]) throws -> Value { … }
///     }
///     let model = try ManagedObjectModel(palette, transformers: ["ColorTransformer": ColorTransformer()])
///
/// A model names transformers as an app's model does: an attribute of type `.transformable(transformer: "ColorTransformer")` goes by the
/// one that is registered under that name. Both methods are called by any thread.
public protocol AttributeTransformer: Sendable {
    /// The bytes of a value, which is never nil. An error makes a save fail, with the error as the reason.
    func bytes(of value: Value) throws -> [UInt8]

    /// The value of bytes. Where it throws, the value is the bytes, as they are without a transformer.
    func value(of bytes: [UInt8]) throws -> Value
}

extension AttributeDescription {
    /// Whether values are transformed by a class of the app's own that isn't known here, so that their bytes mean nothing.
    public var isTransformedByApp: Bool { transformer == nil && type.isTransformedByApp }

    /// A value as a store keeps it that knows data, but not the attribute's transformer: the bytes that this makes of it.
    public func transformed(_ value: Value) -> Value {
        guard hasTransformer else { return value }
        if case .dictionary(var members) = value, !elements.isEmpty {
            for element in elements { members[element.name] = members[element.name].map(element.transformed) }
            return .dictionary(members)
        }
        guard let transformer, value != .null, let bytes = try? transformer.bytes(of: value) else { return value }
        return .data(Data(bytes))
    }

    /// The value of what `transformed(_:)` has made of it.
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
