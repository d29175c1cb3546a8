// SPDX-License-Identifier: Apache-2.0

// Checks a predicate against the types that a model gives to its key paths.

import Predicates
import SourceText

struct PredicateCheck {
    let model: Model
    let entity: Entity
    let isFetched: Bool
    private(set) var issues: [ModelIssue] = []
    /// The types of variables, including those of the `SUBQUERY` being checked.
    private var bindings: [String: ExpressionType]
    private let allowsOtherVariables: Bool
    private var depth = 0
    /// Shared by the checks of many predicates of one model.
    let hierarchy: EntityHierarchy?
    private let guessesLeft: Int

    init(
        _ model: Model,
        _ entity: Entity,
        variables: [String: PredicateVariable]?,
        isFetched: Bool,
        _ hierarchy: EntityHierarchy? = nil,
        guessesLeft: Int = 100
    ) {
        self.hierarchy = hierarchy
        self.guessesLeft = guessesLeft
        self.model = model
        self.entity = entity
        self.isFetched = isFetched
        allowsOtherVariables = variables == nil
        bindings = (variables ?? [:]).mapValues { variable in
            switch variable {
            case .any: .unknown
            case .value(let type): ExpressionType(type, in: model)
            case .object(let name): .object(name)
            }
        }
    }

    mutating func check(_ predicate: ObjectPredicate) {
        guard descend() else { return }
        defer { depth -= 1 }
        switch predicate {
        case .constant: break
        case .comparison(let comparison): check(comparison)
        case .not(let inner): check(inner)
        case .and(let parts), .or(let parts):
            for part in parts { check(part) }
        }
    }

    /// The type of an expression; unknown after an error, so that an error is reported once.
    mutating func type(of expression: ObjectExpression) -> ExpressionType {
        guard descend() else { return .unknown }
        defer { depth -= 1 }
        switch expression {
        case .constant(let value): return ExpressionType(value)
        case .evaluatedObject: return .object(entity.name)
        case .variable(let name): return type(ofVariable: name)
        case .argument(let argument):
            switch argument.kind {
            case .any: return .unknown
            case .integer, .float: return .number
            case .string, .character: return .text
            }
        case .keyPath(let root, let keys):
            // Messages show paths from the object without the root, and paths from a variable with it.
            let path = if case .variable = root { [root.description] } else { [] as [String] }
            return follow(keys[...], from: type(of: root), path: path)
        case .element(let collection, let index):
            let type = type(of: collection)
            if type.isScalar {
                report(.predicateCollection, "An index applies to a list, but “\(collection)” is \(type.words).")
                return .unknown
            }
            return self.type(of: index, of: type)
        case .aggregate(let members):
            return .list(ExpressionType.common(members.map { type(of: $0) }))
        case .function(let function, let operands): return type(of: function, operands.map { type(of: $0) })
        case .cast(let operand, let target):
            _ = type(of: operand)
            return target.expressionType
        case .ternary(let condition, let holds, let fails):
            check(condition)
            return ExpressionType.common([type(of: holds), type(of: fails)])
        case .subquery(let collection, let variable, let condition):
            return type(ofSubquery: type(of: collection), variable, condition)
        }
    }

    mutating func report(
        _ code: ModelIssue.Code,
        isMild: Bool = false,
        _ message: String,
        property: String? = nil,
        hint: String? = nil
    ) {
        let place = ModelIssue.Place(entity: entity.name, property: property)
        issues.append(ModelIssue(code, isMild: isMild, at: place, message, hint: hint))
    }

    /// Whether to search all names for a suggestion; after many mistakes that takes too long.
    var isGuessing: Bool { issues.count < guessesLeft }

    /// Goes one level deeper, unless the nesting could overflow the stack.
    private mutating func descend() -> Bool {
        guard depth < 400 else {
            if !issues.contains(where: { $0.code == .predicateDepth }) {
                report(.predicateDepth, "The predicate is nested too deeply.")
            }
            return false
        }
        depth += 1
        return true
    }

    private mutating func type(ofVariable name: String) -> ExpressionType {
        if let type = bindings[name] { return type }
        if !allowsOtherVariables {
            let hint = Spelling.nearest(to: name, among: bindings.keys.inBinaryOrder()).map { "Did you mean $\($0)?" }
            report(.predicateVariable, "The variable $\(name) has no value here.", hint: hint)
        }
        return .unknown
    }

    private mutating func type(
        ofSubquery collection: ExpressionType,
        _ variable: String,
        _ condition: ObjectPredicate
    ) -> ExpressionType {
        if collection.member == nil, collection != .unknown, collection != .null {
            report(.predicateCollection, "SUBQUERY iterates over a collection, but this is \(collection.words).")
        }
        let shadowed = bindings.updateValue(collection.member ?? .unknown, forKey: variable)
        check(condition)
        bindings[variable] = shadowed
        return collection.member == nil ? .collection(.unknown) : collection
    }

    private mutating func type(of index: ElementIndex, of collection: ExpressionType) -> ExpressionType {
        switch index {
        case .size: return .number
        case .first, .last: break
        case .at(let index):
            if case .constant(.string(let key)) = index, case .composite = collection {
                return follow([.name(key)], from: collection)
            }
            _ = type(of: index)
        }
        return collection.member ?? .unknown
    }
}

extension CastType {
    fileprivate var expressionType: ExpressionType {
        switch self {
        case .number, .decimal: .number
        case .string, .uri: .text
        case .date: .date
        case .data: .data
        case .uuid: .uuid
        case .reference: .reference
        case .dictionary: .unknown
        }
    }
}
