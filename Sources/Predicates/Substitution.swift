// SPDX-License-Identifier: Apache-2.0

// Substitution of placeholders and variables by values.

extension ObjectPredicate {
    /// Replaces the placeholders by the arguments. Their number and kinds must match.
    public func substituting(arguments: [Value]) throws(FormatError) -> ObjectPredicate {
        try Placeholder.check(placeholders, against: arguments)
        return replacing(arguments: arguments)
    }

    /// Replaces the placeholders by arguments that were checked before.
    func replacing(arguments: [Value]) -> ObjectPredicate { replacing(Replacement(arguments: arguments)) }

    /// Replaces the given variables. Others remain, see `freeVariables`.
    public func substituting(variables: [String: Value]) -> ObjectPredicate {
        replacing(Replacement(variables: variables))
    }

    /// The names of the variables that need a value: those not bound by an enclosing `SUBQUERY`.
    public var freeVariables: Set<String> {
        var survey = Survey()
        survey.visit(self)
        return survey.variables
    }

    /// Whether placeholders remain to be substituted.
    public var hasPlaceholders: Bool { !placeholders.isEmpty }

    var placeholders: [Placeholder] {
        var survey = Survey()
        survey.visit(self)
        return survey.placeholders
    }

    fileprivate func replacing(_ replacement: Replacement) -> ObjectPredicate {
        mappingParts({ $0.replacing(replacement) }, { $0.replacing(replacement) })
    }
}

extension ObjectExpression {
    /// Replaces the placeholders by the arguments. Their number and kinds must match.
    public func substituting(arguments: [Value]) throws(FormatError) -> ObjectExpression {
        try Placeholder.check(placeholders, against: arguments)
        return replacing(arguments: arguments)
    }

    /// Replaces the placeholders by arguments that were checked before.
    func replacing(arguments: [Value]) -> ObjectExpression { replacing(Replacement(arguments: arguments)) }

    /// Replaces the given variables. Others remain, see `freeVariables`.
    public func substituting(variables: [String: Value]) -> ObjectExpression {
        replacing(Replacement(variables: variables))
    }

    /// The names of the variables that need a value: those not bound by an enclosing `SUBQUERY`.
    public var freeVariables: Set<String> {
        var survey = Survey()
        survey.visit(self)
        return survey.variables
    }

    /// Whether placeholders remain to be substituted.
    public var hasPlaceholders: Bool { !placeholders.isEmpty }

    var placeholders: [Placeholder] {
        var survey = Survey()
        survey.visit(self)
        return survey.placeholders
    }

    fileprivate func replacing(_ replacement: Replacement) -> ObjectExpression {
        switch self {
        case .argument(let argument):
            return replacement.value(of: argument).map(ObjectExpression.constant) ?? self
        case .variable(let name):
            return replacement.variables[name].map(ObjectExpression.constant) ?? self
        case .keyPath(let root, let keys):
            return .keyPath(of: root.replacing(replacement), keys.flatMap(replacement.keys))
        case .subquery(let collection, let variable, let condition):
            var inner = replacement
            inner.variables[variable] = nil
            return .subquery(collection.replacing(replacement), variable: variable, condition.replacing(inner))
        default: return mappingParts({ $0.replacing(replacement) }, { $0.replacing(replacement) })
        }
    }
}

/// The values of placeholders and variables.
private struct Replacement {
    var arguments: [Value] = []
    var variables: [String: Value] = [:]

    func value(of argument: FormatArgument) -> Value? {
        arguments.indices.contains(argument.index) ? arguments[argument.index] : nil
    }

    func keys(for key: Key) -> [Key] {
        guard case .argument(let index) = key, arguments.indices.contains(index),
            case .string(let path) = arguments[index]
        else { return [key] }
        return Key.path(path)
    }
}

/// Collects the placeholders and free variables of a tree.
private struct Survey {
    var placeholders: [Placeholder] = []
    var variables: Set<String> = []
    private var bound: [String] = []

    mutating func visit(_ predicate: ObjectPredicate) {
        predicate.forEachPart({ visit($0) }, { visit($0) })
    }

    mutating func visit(_ expression: ObjectExpression) {
        switch expression {
        case .argument(let argument):
            placeholders.append(Placeholder(index: argument.index, kind: .value(argument.kind), offset: nil))
        case .variable(let name) where !bound.contains(name): variables.insert(name)
        case .subquery(let collection, let variable, let condition):
            visit(collection)
            bound.append(variable)
            visit(condition)
            bound.removeLast()
        case .keyPath(let root, let keys):
            visit(root)
            for case .argument(let index) in keys {
                placeholders.append(Placeholder(index: index, kind: .key, offset: nil))
            }
        default: expression.forEachPart({ visit($0) }, { visit($0) })
        }
    }
}
