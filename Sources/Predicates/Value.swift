// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A value of an attribute, or a constant in a predicate.
///
/// `==` is exact: `.integer(1)` and `.double(1)` differ, and so do texts with different code points that look the same.
/// The evaluator defines which values are equal in a predicate.
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
    /// A URI as written. It is kept as text to avoid normalisation.
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
