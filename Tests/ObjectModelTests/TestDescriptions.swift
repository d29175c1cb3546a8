// SPDX-License-Identifier: Apache-2.0

// Short descriptions of model parts that are test arguments.

public import ObjectModel
public import Testing

extension Model: CustomTestStringConvertible {
    public var testDescription: String { "Model of " + entities.map(\.name).joined(separator: ", ").prefix(60) }
}

extension Attribute: CustomTestStringConvertible {
    public var testDescription: String { "Attribute " + name }
}

extension Relationship: CustomTestStringConvertible {
    public var testDescription: String { "Relationship " + name }
}
