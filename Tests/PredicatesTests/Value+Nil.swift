// SPDX-License-Identifier: Apache-2.0

// Tables of values read better with `nil` in them. The library has no such conformance, since it would make a `Value?` that
// is meant to be nil a null value.

public import Predicates

extension Value: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .null }
}
