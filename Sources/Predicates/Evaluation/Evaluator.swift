// SPDX-License-Identifier: Apache-2.0

// Evaluates predicates over objects in memory. This is the reference semantics; stores that translate predicates must
// agree with it.

public import FoundationEssentials

/// Evaluates predicates and expressions over objects. Create one per fetch and use it for all objects.
///
/// It caches compiled patterns and hashed lists. Time and randomness are parameters, so that evaluations are
/// reproducible.
///
///     let evaluator = Evaluator(now: .now)
///     let matching = try posts.filter { try evaluator.matches(predicate, $0) }
public final class Evaluator {
    /// How deeply predicates and expressions can be nested.
    public static let depthLimit = 200
    /// The maximum number of members in a collection that key paths and functions create, since chained to-many
    /// relationships could otherwise exhaust memory.
    public static let collectionLimit = 1_000_000

    let now: Date
    var random: AnyGenerator
    var variables: [String: Operand]
    /// The variables with untyped values.
    var untypedVariables: Set<String> = []
    var caches = Caches()
    private let checkpoint: (() throws -> Void)?
    private var depth = 0
    private var visits = 0

    /// Creates an evaluator with the values of `$NAME` variables.
    ///
    /// `checkpoint` is called periodically during long evaluations; an error that it throws ends the evaluation.
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

    /// Whether the predicate is true for the object.
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

    /// Evaluates a part one level deeper, within the depth limit.
    func nested<Result>(_ body: () throws -> Result) throws -> Result {
        guard depth < Self.depthLimit else { throw EvaluationError.tooDeep(limit: Self.depthLimit) }
        depth += 1
        defer { depth -= 1 }
        return try body()
    }

    /// Counts a comparison, or a visited member of a collection.
    func visit() throws {
        visits &+= 1
        if visits & 0x3FF == 0 { try checkpoint?() }
    }

    /// Counts members before they are appended to a collection.
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
    /// Whether the predicate is true for an object. For many objects, reuse an `Evaluator`.
    public func evaluate(
        with object: any KeyValueObject,
        variables: [String: Operand] = [:],
        now: Date = Date()
    ) throws -> Bool {
        try Evaluator(variables: variables, now: now).matches(self, object)
    }
}

extension ObjectExpression {
    /// The result of the expression for an object. For many objects, reuse an `Evaluator`.
    public func evaluate(
        with object: any KeyValueObject,
        variables: [String: Operand] = [:],
        now: Date = Date()
    ) throws -> Operand {
        try Evaluator(variables: variables, now: now).operand(of: self, for: object)
    }
}

/// A type-erased generator, for generic functions.
struct AnyGenerator: RandomNumberGenerator {
    var base: any RandomNumberGenerator

    mutating func next() -> UInt64 { base.next() }
}
