// SPDX-License-Identifier: Apache-2.0

// How parts of models as arguments of tests are shown: by their names.

public import ObjectModel
public import Testing

extension Model: CustomTestStringConvertible {
    public var testDescription: String { "Model of " + entities.map(\.name).joined(separator: ", ").prefix(60) }
}

extension Relationship: CustomTestStringConvertible {
    public var testDescription: String { "Relationship " + name }
}
