// SPDX-License-Identifier: Apache-2.0

// Builders of relationships. Each modifier returns a changed copy.

extension Relationship {
    /// Creates a required to-one relationship: `Relationship("author", toOne: "User", inverse: "posts")`.
    public init(
        _ name: String,
        toOne destination: String,
        inverse: String? = nil,
        deleteRule: DeleteRule = .nullify
    ) {
        self.init(name: name, destinationName: destination, inverseName: inverse, deleteRule: deleteRule)
    }

    /// Creates an optional to-many relationship:
    /// `Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)`.
    public init(
        _ name: String,
        toMany destination: String,
        inverse: String? = nil,
        deleteRule: DeleteRule = .nullify
    ) {
        self.init(
            name: name,
            destinationName: destination,
            inverseName: inverse,
            isToMany: true,
            isOptional: true,
            deleteRule: deleteRule
        )
    }

    public func optional() -> Relationship {
        with {
            $0.isOptional = true
            $0.wording.isMarkedOptional = true
        }
    }

    public func transient() -> Relationship { with { $0.isTransient = true } }

    /// Keeps the objects of a to-many relationship in order.
    public func ordered() -> Relationship { with { $0.isOrdered = true } }

    /// Sets the number of objects of a to-many relationship: `.count(1...5)`. The relationship becomes required, unless
    /// the range begins at zero or `optional()` allows it to be empty.
    public func count(_ range: ClosedRange<Int>) -> Relationship {
        with {
            $0.minimumCount = range.lowerBound
            $0.maximumCount = range.upperBound
            $0.isOptional = range.lowerBound == 0 || $0.wording.isMarkedOptional
        }
    }

    /// Sets the minimum number of objects of a to-many relationship: `.count(1...)`.
    public func count(_ range: PartialRangeFrom<Int>) -> Relationship {
        with {
            $0.minimumCount = range.lowerBound
            $0.isOptional = range.lowerBound == 0 || $0.wording.isMarkedOptional
        }
    }

    /// Sets the canonical name, if it differs: `.renamed(from: "articles")`.
    public func renamed(from identifier: String) -> Relationship { with { $0.renamingIdentifier = identifier } }

    public func versionHashModifier(_ modifier: String) -> Relationship { with { $0.versionHashModifier = modifier } }

    public func userInfo(_ userInfo: UserInfo) -> Relationship { with { $0.userInfo = userInfo } }

    private func with(_ change: (inout Relationship) -> Void) -> Relationship {
        var copy = self
        change(&copy)
        return copy
    }
}
