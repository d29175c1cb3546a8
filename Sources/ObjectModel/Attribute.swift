// SPDX-License-Identifier: Apache-2.0

// A property that holds a value.

public import Predicates

/// An attribute of an entity or of a composite.
public struct Attribute: Hashable, Sendable {
    public var name: String
    public var type: AttributeType
    public var isOptional: Bool
    public var isTransient: Bool
    public var defaultValue: Value?
    /// The least value, for numbers and dates.
    public var minimumValue: Value?
    /// The greatest value, for numbers and dates.
    public var maximumValue: Value?
    /// The least length of a string, in UTF-16 units.
    public var minimumLength: Int?
    /// The greatest length of a string, in UTF-16 units.
    public var maximumLength: Int?
    /// What a string must match as a whole.
    public var regularExpression: String?
    /// The expression that gives a derived attribute's value, in the format language.
    public var derivation: String?
    /// Whether large values are kept in files beside the store.
    public var allowsExternalStorage: Bool
    /// Whether history keeps the value when its object is deleted.
    public var isPreservedAfterDeletion: Bool
    /// Whether the search index covers it.
    public var isSearchIndexed: Bool
    /// Whether it has an index of its own, as models had them before fetch indexes.
    public var isIndexed: Bool
    public var userInfo: UserInfo
    /// The name it had in the version before, where that was another.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var extras: Extras

    public var isDerived: Bool { derivation != nil }

    public init(
        name: String,
        type: AttributeType,
        isOptional: Bool = false,
        isTransient: Bool = false,
        defaultValue: Value? = nil,
        minimumValue: Value? = nil,
        maximumValue: Value? = nil,
        minimumLength: Int? = nil,
        maximumLength: Int? = nil,
        regularExpression: String? = nil,
        derivation: String? = nil,
        allowsExternalStorage: Bool = false,
        isPreservedAfterDeletion: Bool = false,
        isSearchIndexed: Bool = false,
        isIndexed: Bool = false,
        userInfo: UserInfo = UserInfo(),
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        extras: Extras = Extras()
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.defaultValue = defaultValue
        self.minimumValue = minimumValue
        self.maximumValue = maximumValue
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.regularExpression = regularExpression
        self.derivation = derivation
        self.allowsExternalStorage = allowsExternalStorage
        self.isPreservedAfterDeletion = isPreservedAfterDeletion
        self.isSearchIndexed = isSearchIndexed
        self.isIndexed = isIndexed
        self.userInfo = userInfo
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.extras = extras
    }
}
