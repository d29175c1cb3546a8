// SPDX-License-Identifier: Apache-2.0

// New values out of old ones.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

extension Value {
    /// This value; but the stored one where this is what a client was shown of it. Dates may be stored finer than they are shown.
    func unlessShown(of stored: Value) -> Value {
        switch (self, stored) {
        case (.date(let date), .date(let other)) where date.isShown(of: other): stored
        case (.dictionary(let members), .dictionary(let others)):
            .dictionary(Dictionary(uniqueKeysWithValues: members.map { ($0, $1.unlessShown(of: others[$0] ?? .null)) }))
        default: self
        }
    }

    /// The sum, nothing counting as zero; nil where it doesn't fit.
    func adding(_ amount: Value, for attribute: AttributeDescription) -> Value? {
        switch (self, amount) {
        case (.null, _): return amount
        case (.integer(let number), .integer(let other)):
            let (sum, isTooLarge) = number.addingReportingOverflow(other)
            return isTooLarge ? nil : attribute.accepting(.integer(sum))
        case (.double(let number), .double(let other)):
            let sum = number + other
            return sum.isFinite ? attribute.accepting(.double(sum)) : nil
        case (.decimal(let number), .decimal(let other)):
            let sum = number + other
            // What can't be taken back has lost digits.
            return !sum.isNaN && sum - other == number && sum - number == other ? .decimal(sum) : nil
        default: return nil
        }
    }
}

extension [String: ElementChange] {
    /// A composite's value with these elements changed.
    func merged(
        over old: Predicates.Value,
        of attribute: AttributeDescription
    ) -> Predicates.Value {
        var members: [String: Predicates.Value] = [:]
        if case .dictionary(let present) = old { members = present }
        for (name, change) in self {
            switch change {
            case .value(let value): members[name] = value
            case .merge(let changes):
                guard let element = attribute.elements.first(where: { $0.name == name }) else { continue }
                members[name] = changes.merged(over: members[name] ?? .null, of: element)
            }
        }
        return .dictionary(members)
    }
}
