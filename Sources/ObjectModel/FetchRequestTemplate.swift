// SPDX-License-Identifier: Apache-2.0

/// A fetch request stored in a model by name. Its predicate may contain `$VARIABLES`.
///
/// An option that is nil has the fetch request's default.
public struct FetchRequestTemplate: Hashable, Sendable {
    public enum ResultType: Int, CaseIterable, Hashable, Sendable {
        case objects = 0
        case objectIDs = 1
        case dictionaries = 2
    }

    public var name: String
    public var entityName: String
    public var predicate: String?
    public var resultType: ResultType?
    public var fetchLimit: Int?
    public var fetchBatchSize: Int?
    public var includesSubentities: Bool?
    public var includesPropertyValues: Bool?
    public var includesPendingChanges: Bool?
    public var returnsObjectsAsFaults: Bool?
    public var returnsDistinctResults: Bool?
    public var extras: Extras

    public init(
        name: String,
        entityName: String,
        predicate: String? = nil,
        resultType: ResultType? = nil,
        fetchLimit: Int? = nil,
        fetchBatchSize: Int? = nil,
        includesSubentities: Bool? = nil,
        includesPropertyValues: Bool? = nil,
        includesPendingChanges: Bool? = nil,
        returnsObjectsAsFaults: Bool? = nil,
        returnsDistinctResults: Bool? = nil,
        extras: Extras = Extras()
    ) {
        self.name = name
        self.entityName = entityName
        self.predicate = predicate
        self.resultType = resultType
        self.fetchLimit = fetchLimit
        self.fetchBatchSize = fetchBatchSize
        self.includesSubentities = includesSubentities
        self.includesPropertyValues = includesPropertyValues
        self.includesPendingChanges = includesPendingChanges
        self.returnsObjectsAsFaults = returnsObjectsAsFaults
        self.returnsDistinctResults = returnsDistinctResults
        self.extras = extras
    }
}

/// A property with a value that is fetched when it is read.
public struct FetchedProperty: Hashable, Sendable {
    public var name: String
    /// The predicate may use `$FETCH_SOURCE`, the object, and `$FETCHED_PROPERTY`, this property.
    public var fetchRequest: FetchRequestTemplate
    public var isOptional: Bool
    public var userInfo: UserInfo
    public var extras: Extras

    public init(
        name: String,
        fetchRequest: FetchRequestTemplate,
        isOptional: Bool = false,
        userInfo: UserInfo = UserInfo(),
        extras: Extras = Extras()
    ) {
        self.name = name
        self.fetchRequest = fetchRequest
        self.isOptional = isOptional
        self.userInfo = userInfo
        self.extras = extras
    }
}
