// SPDX-License-Identifier: Apache-2.0

public import Predicates

/// An attribute of an entity or of a composite.
public struct Attribute: Hashable, Sendable {
    public var name: String
    public var type: AttributeType
    public var isOptional: Bool
    public var isTransient: Bool
    public var defaultValue: Value?
    /// The lower bound of a number or date.
    public var minimumValue: Value?
    /// The upper bound of a number or date.
    public var maximumValue: Value?
    /// The minimum length of a string, in UTF-16 units.
    public var minimumLength: Int?
    /// The maximum length of a string, in UTF-16 units.
    public var maximumLength: Int?
    /// The pattern that a string must match as a whole.
    public var regularExpression: String?
    /// The expression that a derived attribute is computed by, in the format language.
    public var derivation: String?
    /// Whether a store may keep large values in separate files.
    public var allowsExternalStorage: Bool
    /// Whether history keeps the value when its object is deleted.
    public var isPreservedAfterDeletion: Bool
    /// Whether the search index covers the attribute.
    public var isSearchIndexed: Bool
    /// Whether the attribute has an index of its own, the form that preceded fetch indexes.
    public var isIndexed: Bool
    public var userInfo: UserInfo
    /// The name in the previous version, if the attribute was renamed.
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
