// SPDX-License-Identifier: Apache-2.0

// Builds requests from keys. Each step returns a changed copy.

public import Predicates

/// The direction of a sort.
public enum SortDirection: Hashable, Sendable {
    case ascending
    case descending
}

extension FetchRequest {
    /// The request restricted by another condition.
    ///
    ///     FetchRequest<Post>()
    ///         .where { $0.author.name == "Anna" && $0.views > 10 }
    ///         .sorted(by: \.createdAt, .descending)
    public func `where`(_ condition: (Keys<Object>) -> some PredicateConvertible) -> FetchRequest {
        let condition = condition(Keys()).predicate
        return with { $0.predicate = predicate.map { $0 && condition } ?? condition }
    }

    /// The request with another sort key, after the present ones.
    public func sorted<Content>(
        by key: KeyPath<Keys<Object>, AttributeKey<Content>>,
        _ direction: SortDirection = .ascending,
        options: Comparison.Options = []
    ) -> FetchRequest {
        let path = Keys()[keyPath: key].path
        precondition(!path.isAny, "Objects can't be sorted by one of many values. Sort by a minimum or a maximum.")
        return with {
            $0.sortDescriptors.append(
                ObjectSortDescriptor(path.expression, ascending: direction == .ascending, options: options)
            )
        }
    }

    public func limit(_ count: Int) -> FetchRequest { with { $0.fetchLimit = count } }

    public func offset(_ count: Int) -> FetchRequest { with { $0.fetchOffset = count } }

    /// The request that prefetches a relationship.
    public func prefetching<Destination>(
        _ relationship: KeyPath<Keys<Object>, Keys<Destination>>
    ) -> FetchRequest {
        prefetching(Keys()[keyPath: relationship].path)
    }

    public func prefetching<Destination>(
        _ relationship: KeyPath<Keys<Object>, ToManyKey<Destination>>
    ) -> FetchRequest {
        prefetching(Keys()[keyPath: relationship].path)
    }

    private func prefetching(_ path: KeySteps) -> FetchRequest {
        let names = path.keys.map { key in if case .name(let name) = key { name } else { "" } }
        return with { $0.relationshipKeyPathsForPrefetching.append(names.joined(separator: ".")) }
    }

    private func with(_ change: (inout FetchRequest) -> Void) -> FetchRequest {
        var copy = self
        change(&copy)
        return copy
    }
}
