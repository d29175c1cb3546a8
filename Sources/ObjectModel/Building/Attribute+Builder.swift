// SPDX-License-Identifier: Apache-2.0

// Builders of attributes and composites. Each modifier returns a changed copy.

public import Predicates

extension Attribute {
    /// Creates a required attribute without a default: `Attribute("name", .string)`.
    public init(_ name: String, _ type: AttributeType) {
        self.init(name: name, type: type)
    }

    public func optional() -> Attribute { with { $0.isOptional = true } }

    public func transient() -> Attribute { with { $0.isTransient = true } }

    /// Sets the value of new objects: `.default(0)`.
    public func `default`(_ value: some ValueConvertible) -> Attribute { with { $0.defaultValue = value.value } }

    /// Sets the bounds of a number or a date: `.in(0...150)`.
    public func `in`<Bound: ValueConvertible>(_ range: ClosedRange<Bound>) -> Attribute {
        with {
            $0.minimumValue = range.lowerBound.value
            $0.maximumValue = range.upperBound.value
        }
    }

    public func atLeast(_ value: some ValueConvertible) -> Attribute { with { $0.minimumValue = value.value } }

    public func atMost(_ value: some ValueConvertible) -> Attribute { with { $0.maximumValue = value.value } }

    /// Sets the bounds of a string's length in UTF-16 units: `.length(1...80)`.
    public func length(_ range: ClosedRange<Int>) -> Attribute {
        with {
            $0.minimumLength = range.lowerBound
            $0.maximumLength = range.upperBound
        }
    }

    /// Sets the pattern that a string must match as a whole: `.matching("[a-z]+")`.
    public func matching(_ regularExpression: String) -> Attribute {
        with { $0.regularExpression = regularExpression }
    }

    /// Sets the expression that the value is derived by: `.derived("posts.@count")`.
    public func derived(_ expression: String) -> Attribute { with { $0.derivation = expression } }

    /// Lets a store keep large values in separate files.
    public func externalStorage() -> Attribute { with { $0.allowsExternalStorage = true } }

    public func preservedAfterDeletion() -> Attribute { with { $0.isPreservedAfterDeletion = true } }

    public func searchIndexed() -> Attribute { with { $0.isSearchIndexed = true } }

    /// Sets the canonical name, if it differs: `.renamed(from: "headline")`.
    public func renamed(from identifier: String) -> Attribute { with { $0.renamingIdentifier = identifier } }

    public func versionHashModifier(_ modifier: String) -> Attribute { with { $0.versionHashModifier = modifier } }

    public func userInfo(_ userInfo: UserInfo) -> Attribute { with { $0.userInfo = userInfo } }

    private func with(_ change: (inout Attribute) -> Void) -> Attribute {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Collects the attributes of a composite; `if`, `switch` and `for` work inside.
@resultBuilder
public enum CompositeBuilder {
    public static func buildExpression(_ attribute: Attribute) -> [Attribute] { [attribute] }
    public static func buildExpression(_ attributes: [Attribute]) -> [Attribute] { attributes }

    public static func buildBlock(_ attributes: [Attribute]...) -> [Attribute] { attributes.flatMap(\.self) }
    public static func buildOptional(_ attributes: [Attribute]?) -> [Attribute] { attributes ?? [] }
    public static func buildEither(first attributes: [Attribute]) -> [Attribute] { attributes }
    public static func buildEither(second attributes: [Attribute]) -> [Attribute] { attributes }
    public static func buildArray(_ attributes: [[Attribute]]) -> [Attribute] { attributes.flatMap(\.self) }
}

extension Composite {
    /// Creates a composite from its attributes: `Composite("Place") { Attribute("latitude", .double) }`.
    public init(_ name: String, @CompositeBuilder _ content: () -> [Attribute]) {
        self.init(name: name, attributes: content())
    }
}
