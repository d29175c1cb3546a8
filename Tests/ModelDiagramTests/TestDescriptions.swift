// SPDX-License-Identifier: Apache-2.0

// Descriptions of models and relationships as arguments of tests: their names.

public import ObjectModel
public import Testing

extension Model: CustomTestStringConvertible {
    public var testDescription: String { "Model of " + entities.map(\.name).joined(separator: ", ").prefix(60) }
}

extension Relationship: CustomTestStringConvertible {
    public var testDescription: String { "Relationship " + name }
}
