// SPDX-License-Identifier: Apache-2.0

// Parameters of a query.

public struct QueryItem: Hashable, Sendable {
    public var name: String
    public var value: String
    /// Whether an equals sign follows the name. Otherwise the value is empty.
    public var hasValue: Bool

    public init(name: String, value: String, hasValue: Bool = true) {
        self.name = name
        self.value = value
        self.hasValue = hasValue
    }
}
