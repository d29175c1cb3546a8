// SPDX-License-Identifier: Apache-2.0

/// A named set of entities that are stored together.
public struct Configuration: Hashable, Sendable {
    public var name: String
    public var entityNames: [String]
    public var extras: Extras

    public init(name: String, entityNames: [String], extras: Extras = Extras()) {
        self.name = name
        self.entityNames = entityNames
        self.extras = extras
    }
}
