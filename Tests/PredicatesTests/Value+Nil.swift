// SPDX-License-Identifier: Apache-2.0

// Allows `nil` in tables of values. The library has no such conformance, since it would turn a `Value?` that is meant
// to be nil into a null value.

public import Predicates

extension Value: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .null }
}
