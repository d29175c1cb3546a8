// SPDX-License-Identifier: Apache-2.0

// Replaces placeholders and variables by arguments of the other operand's type.

import FoundationEssentials
import ObjectGraph
import Predicates

/// Why a placeholder or variable can't be filled.
struct ArgumentSubstitutionError: Error {
    enum Place {
        case argument(Int)
        case variable(String)
    }

    let place: Place
    let message: String
    var hint: String?
}

struct ArgumentSubstitution {
    let reader: ArgumentReader
    var types: OperandTypeResolver
    let arguments: [PredicateArgument]
    let variables: [String: PredicateArgument]

    /// Recursive, since limits bound the depth of parsed predicates.
    func filled(_ predicate: ObjectPredicate) throws(ArgumentSubstitutionError) -> ObjectPredicate {
        guard case .comparison(let comparison) = predicate else {
            return try predicate.mappingParts(
                { (part) throws(ArgumentSubstitutionError) in try filled(part, as: .unknown) },
                { (part) throws(ArgumentSubstitutionError) in try filled(part) }
            )
        }
        var result = comparison
        let left = types.end(of: comparison.left)
        let right = types.end(of: comparison.right)
        result.left = try filled(comparison.left, as: Self.expected(comparison.operator, left: nil, right: right))
        result.right = try filled(comparison.right, as: Self.expected(comparison.operator, left: left, right: nil))
        return result.withRoundedDates ?? result.withAllKinds(of: reader.catalogue.model)
    }

    /// The expected type of one operand, derived from the other.
    private static func expected(
        _ operator: Comparison.Operator,
        left: OperandType?,
        right: OperandType?
    ) -> OperandType {
        let other = left ?? right ?? .unknown
        switch `operator` {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: return OperandType(kind: other.kind)
        case .in, .between: return OperandType(kind: other.kind, isMany: left != nil)
        case .contains:
            // A text contains a part, a collection a member; JSON may be either.
            if other.kind == .json { return .unknown }
            return OperandType(kind: other.kind, isMany: left == nil && !other.isText)
        case .beginsWith, .endsWith, .like, .matches:
            return other.isText || other.isJSON || other.kind == .unknown
                ? OperandType(kind: .text) : OperandType(kind: other.kind)
        }
    }

    private func filled(
        _ expression: ObjectExpression,
        as end: OperandType
    ) throws(ArgumentSubstitutionError) -> ObjectExpression {
        switch expression {
        case .argument(let argument):
            guard arguments.indices.contains(argument.index) else { return expression }
            return .constant(
                try value(
                    of: arguments[argument.index],
                    as: end,
                    conversion: argument.kind,
                    at: .argument(argument.index)
                )
            )
        case .variable(let name) where types.variables[name] == nil:
            guard let variable = variables[name] else {
                throw ArgumentSubstitutionError(
                    place: .variable(name),
                    message: "The variable $\(name) has no value.",
                    hint: "Pass it in the parameter “$\(name)”."
                )
            }
            return .constant(try value(of: variable, as: end, conversion: .any, at: .variable(name)))
        case .aggregate(let members):
            let filled = try members.map { (member) throws(ArgumentSubstitutionError) in
                try self.filled(member, as: OperandType(kind: end.kind))
            }
            let values = filled.compactMap { if case .constant(let value) = $0 { value } else { nil } }
            return values.count == filled.count ? .constant(.array(values)) : .aggregate(filled)
        case .function(let function, let operands):
            let operand = operandType(of: function, operands: operands, as: end)
            return .function(
                function,
                try operands.map { (part) throws(ArgumentSubstitutionError) in try filled(part, as: operand) }
            )
        case .ternary(let condition, let holds, let fails):
            return .ternary(try filled(condition), try filled(holds, as: end), try filled(fails, as: end))
        case .subquery(let collection, let variable, let condition):
            var inner = self
            inner.types.variables[variable] = OperandType(kind: types.end(of: collection).kind)
            return .subquery(
                try filled(collection, as: .unknown),
                variable: variable,
                try inner.filled(condition)
            )
        default:
            return try expression.mappingParts(
                { (part) throws(ArgumentSubstitutionError) in try filled(part, as: .unknown) },
                { (part) throws(ArgumentSubstitutionError) in try filled(part) }
            )
        }
    }

    private func operandType(of function: Function, operands: [ObjectExpression], as end: OperandType) -> OperandType {
        switch function {
        case .uppercase, .lowercase, .canonical, .length: OperandType(kind: .text)
        case .noIndex: end
        case .minimum, .maximum, .mode, .union, .intersect, .minus:
            OperandType(kind: types.end(of: .aggregate(operands)).kind, isMany: operands.count == 1)
        case .count: .unknown
        case .sum, .average, .median, .standardDeviation: OperandType(kind: .number, isMany: operands.count == 1)
        default: OperandType(kind: .number)
        }
    }

    private func value(
        of argument: PredicateArgument,
        as end: OperandType,
        conversion: FormatArgument.Kind,
        at place: ArgumentSubstitutionError.Place
    ) throws(ArgumentSubstitutionError) -> Value {
        do throws(ArgumentMismatch) {
            let value = try reader.value(of: argument, as: end, conversion)
            if let objection = conversion.objection(to: value) {
                throw ArgumentMismatch(message: "\(objection), not \(argument.words).")
            }
            return value
        } catch {
            throw ArgumentSubstitutionError(place: place, message: error.message, hint: error.hint)
        }
    }
}

extension FormatArgument.Kind {
    /// Why a value doesn't match a conversion, or nil.
    fileprivate func objection(to value: Value) -> String? {
        switch (self, value) {
        case (.any, _), (.integer, .integer), (.integer, .bool), (.float, .double), (.float, .integer),
            (.float, .decimal), (.string, .string):
            nil
        case (.character, .string(let text)) where text.count == 1: nil
        case (.integer, _): "%d takes an integer"
        case (.float, _): "%f takes a number"
        case (.string, _): "%s takes a string"
        case (.character, _): "%c takes a string of one character"
        }
    }
}

extension Comparison {
    /// The comparison with dates rounded to microseconds, as clients see them, so that dates shown alike are equal. Nil
    /// for a comparison of other values.
    var withRoundedDates: ObjectPredicate? {
        guard case .constant(.date(let date)) = right, case .keyPath = left else { return nil }
        let first = date - 5e-7
        let last = date + 5e-7
        var comparison = self
        switch `operator` {
        case .equal, .notEqual:
            comparison.operator = .between
            comparison.right = .constant(.array([.date(first), .date(last)]))
            return `operator` == .equal ? .comparison(comparison) : comparison.negated
        case .less, .greaterOrEqual: comparison.right = .constant(.date(first))
        case .lessOrEqual, .greater: comparison.right = .constant(.date(last))
        default: return nil
        }
        return .comparison(comparison)
    }

    /// The negated comparison; for collections, ANY and ALL are exchanged.
    private var negated: ObjectPredicate {
        var comparison = self
        comparison.modifier = modifier == .any ? .all : modifier == .all ? .any : .direct
        return .not(.comparison(comparison))
    }

    /// The comparison with references to objects of all possible entities: a reference may name a superentity, and its
    /// number is unique in the hierarchy.
    func withAllKinds(of model: ManagedObjectModel) -> ObjectPredicate {
        guard case .constant(let value) = right, let kinds = value.allKinds(in: model) else { return .comparison(self) }
        var comparison = self
        comparison.right = .constant(.array(kinds))
        switch `operator` {
        case .in: return .comparison(comparison)
        case .equal, .contains:
            if `operator` == .contains, modifier == .direct { comparison.modifier = .any }
            comparison.operator = .in
            return .comparison(comparison)
        case .notEqual:
            comparison.operator = .in
            return comparison.negated
        default: return .comparison(self)
        }
    }
}

extension Value {
    /// All references that a reference or list of references may mean, or nil if there are no others.
    fileprivate func allKinds(in model: ManagedObjectModel) -> [Value]? {
        let values = if case .array(let members) = self { members } else { [self] }
        let all = values.map { value in
            guard case .reference(let reference) = value else { return [value] }
            return reference.kinds(in: model)
        }
        return all.contains { $0.count > 1 } ? all.flatMap(\.self) : nil
    }
}

extension ObjectReference {
    private static let scheme = "x-coredata://"

    /// The reference with the name of each possible concrete entity.
    fileprivate func kinds(in model: ManagedObjectModel) -> [Value] {
        let parts = uri.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let entity = model.entity(named: String(parts[3])), entity.kinds.count > 1 else {
            return [.reference(self)]
        }
        return model.kinds(of: entity).filter { !$0.isAbstract }.map { kind in
            .reference(ObjectReference(uri: "\(Self.scheme)\(parts[2])/\(kind.name)/\(parts[4])"))
        }
    }
}
