// SPDX-License-Identifier: Apache-2.0

// The Link field.

/// A link, such as `</api/posts?cursor=x>; rel="next"`.
public struct LinkField: Hashable, Sendable, CustomStringConvertible {
    public var target: String
    public var relation: String

    public init(_ target: String, relation: String) {
        self.target = target
        self.relation = relation
    }

    public var description: String {
        // These characters would end the target.
        "<\(target.filter { $0 != ">" && $0 != "<" })>; rel=\(FieldText.quoted(relation))"
    }
}
