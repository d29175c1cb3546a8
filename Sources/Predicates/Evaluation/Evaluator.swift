// SPDX-License-Identifier: Apache-2.0

// Evaluates predicates over objects in memory. It is the reference for what a predicate means; a store that translates
// predicates must agree with it.

public import FoundationEssentials

/// Evaluates predicates and expressions over objects; made once per fetch and used for all of its objects.
///
/// It keeps compiled patterns and hashed lists from one object to the next. Time and randomness are given to it, so that
/// an evaluation can be repeated.
///
///     let evaluator = Evaluator(now: .now)
///     let matching = try posts.filter { try evaluator.matches(predicate, $0) }
public final class Evaluator {
    /// How deep predicates and expressions may be nested in each other.
    public static let depthLimit = 200
    /// How many members a collection may have that key paths and functions make, so that one to-many after the other can't fill
    /// memory.
    public static let collectionLimit = 1_000_000

    let now: Date
    var random: AnyGenerator
    var variables: [String: Operand]
    /// Those whose values may be of any kind.
    var untypedVariables: Set<String> = []
    var caches = Caches()
    private let checkpoint: (() throws -> Void)?
    private var depth = 0
    private var visits = 0

    /// Makes an evaluator with the values of `$NAME`s.
    ///
    /// The checkpoint is called again and again during long evaluations, of one object or of many; what it throws ends them.
    public init(
        variables: [String: Operand] = [:],
        now: Date,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
        checkpoint: (() throws -> Void)? = nil
    ) {
        self.variables = variables
        self.now = now
        self.random = AnyGenerator(base: random)
        self.checkpoint = checkpoint
    }

    /// Whether the predicate holds for the object.
    public func matches(_ predicate: ObjectPredicate, _ object: any KeyValueObject) throws -> Bool {
        switch predicate {
        case .constant(let holds):
            return holds
        case .comparison(let comparison):
            try visit()
            return try nested { try holds(comparison, for: object) }
        case .not(let predicate):
            return try nested { try !matches(predicate, object) }
        case .and(let predicates):
            return try nested { try predicates.allSatisfy { try matches($0, object) } }
        case .or(let predicates):
            return try nested { try predicates.contains { try matches($0, object) } }
        }
    }

    /// Runs a part of a predicate one level deeper, as deep as is allowed.
    func nested<Result>(_ body: () throws -> Result) throws -> Result {
        guard depth < Self.depthLimit else { throw EvaluationError.tooDeep(limit: Self.depthLimit) }
        depth += 1
        defer { depth -= 1 }
        return try body()
    }

    /// Counts one more comparison, or member of a collection that was looked at.
    func visit() throws {
        visits &+= 1
        if visits & 0x3FF == 0 { try checkpoint?() }
    }

    /// Counts members that are put together with others in one collection, before they are.
    func visit(_ members: [Operand], besides count: Int) throws {
        guard count <= Self.collectionLimit - members.count else {
            throw EvaluationError.tooManyMembers(limit: Self.collectionLimit)
        }
        let isDue = visits & 0x3FF + members.count > 0x3FF
        visits &+= members.count
        if isDue { try checkpoint?() }
    }
}

extension ObjectPredicate {
    /// Whether the predicate holds for one object. For many objects, keep an `Evaluator`.
    public func evaluate(
        with object: any KeyValueObject,
        variables: [String: Operand] = [:],
        now: Date = Date()
    ) throws -> Bool {
        try Evaluator(variables: variables, now: now).matches(self, object)
    }
}

extension ObjectExpression {
    /// What the expression comes to for one object. For many objects, keep an `Evaluator`.
    public func evaluate(
        with object: any KeyValueObject,
        variables: [String: Operand] = [:],
        now: Date = Date()
    ) throws -> Operand {
        try Evaluator(variables: variables, now: now).operand(of: self, for: object)
    }
}

/// A generator of any type as one that generic functions take.
struct AnyGenerator: RandomNumberGenerator {
    var base: any RandomNumberGenerator

    mutating func next() -> UInt64 { base.next() }
}
