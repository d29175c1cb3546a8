// SPDX-License-Identifier: Apache-2.0

// The closed set of values that attributes hold and predicates compare.

public import FoundationEssentials

/// A value of an attribute, or a constant in a predicate.
///
/// Values are compared for equality here as they stand: `.integer(1)` and `.double(1)` are two values, and so are texts of
/// other code points that look the same. Whether they count as equal in a comparison is the evaluator's business.
public enum Value: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    /// A URI as written. It is kept as text, so that nothing is normalised away.
    case uri(String)
    case reference(ObjectReference)
    case array([Value])
    case dictionary([String: Value])
}

extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
}
