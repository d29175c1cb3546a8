// SPDX-License-Identifier: Apache-2.0

import Predicates

extension AttributeType {
    var isNumeric: Bool {
        switch self {
        case .int16, .int32, .int64, .decimal, .double, .float: true
        default: false
        }
    }

    /// Why a value doesn't fit this type, as the end of a sentence that begins with the value.
    func mismatch(with value: Value) -> String? {
        if accepting(value) != nil { return nil }
        switch (self, value) {
        case (.int16, .integer), (.int32, .integer), (.float, .double): return "is out of range for \(name)"
        default: return "isn't a valid \(name)"
        }
    }
}
