// SPDX-License-Identifier: Apache-2.0

// One of a query's parameters.

public struct QueryItem: Hashable, Sendable {
    public var name: String
    public var value: String
    /// Whether there was an equals sign, without which the value is empty.
    public var hasValue: Bool

    public init(name: String, value: String, hasValue: Bool = true) {
        self.name = name
        self.value = value
        self.hasValue = hasValue
    }
}
