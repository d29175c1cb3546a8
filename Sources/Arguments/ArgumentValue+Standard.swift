// SPDX-License-Identifier: Apache-2.0
// Conformances of the standard library's types.

extension String: ArgumentValue {
    package init(argument: String) {
        self = argument
    }
}

extension Int: ArgumentValue {
    package init(argument: String) throws(InvalidArgument) {
        guard let value = Int(argument) else { throw InvalidArgument("expected an integer") }
        self = value
    }
}

extension Double: ArgumentValue {
    package init(argument: String) throws(InvalidArgument) {
        guard let value = Double(argument), value.isFinite else { throw InvalidArgument("expected a number") }
        self = value
    }
}

extension Bool: ArgumentValue {
    package static let choices = ["true", "false"]

    package init(argument: String) throws(InvalidArgument) {
        guard let value = Bool(argument) else { throw InvalidArgument("expected true or false") }
        self = value
    }
}
