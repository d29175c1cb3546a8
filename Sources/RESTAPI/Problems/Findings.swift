// SPDX-License-Identifier: Apache-2.0

// Collects everything that is wrong with the values of a body, so that it is reported together.

import HTTPMessage
import JSON
import SourceText

/// A position in a body, as an object's property, as a JSON pointer, and in the text.
struct BodyPosition: Equatable, Sendable {
    /// The object's reference or temporary name, or its position in the body.
    var object: String
    var property: String?
    /// The position as a JSON pointer (RFC 6901).
    var pointer = ""
    /// The position in the text, if the value was read from text.
    var position: TextPosition?

    init(object: String, property: String? = nil, pointer: String = "", position: TextPosition? = nil) {
        self.object = object
        self.property = property
        self.pointer = pointer
        self.position = position
    }

    /// The position of a member of the object, or of an element of the property at this position.
    func member(_ name: String, _ json: JSONValue? = nil) -> BodyPosition {
        BodyPosition(
            object: object,
            property: property.map { "\($0).\(name)" } ?? name,
            pointer: Self.pointer(pointer, name),
            position: json?.position ?? position
        )
    }

    /// The position of a part of the property's value.
    func part(_ name: String, _ json: JSONValue? = nil) -> BodyPosition {
        var part = self
        part.pointer = Self.pointer(pointer, name)
        part.position = json?.position ?? position
        return part
    }

    /// The position as members of an error.
    var extras: JSONObject {
        var extras = JSONObject()
        if !pointer.isEmpty { extras["pointer"] = .string(pointer) }
        if let position {
            extras["line"] = .integer(position.line)
            extras["column"] = .integer(position.column)
        }
        return extras
    }

    private static func pointer(_ pointer: String, _ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return "\(pointer)/\(name)"
        }
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return "\(pointer)/\(escaped)"
    }
}

/// The errors in a body.
struct Findings: Equatable, Sendable {
    /// The kind of an error in a value. For errors that a save finds, see `ValidationFailure.Code.name`.
    enum Code: String, CaseIterable, Sendable {
        /// No such property, entity or key.
        case unknown
        /// A value of the wrong type.
        case type
        /// A number or date that is out of range.
        case range
        /// A text that is too long.
        case length = "too-long"
        /// A text that is too short.
        case short = "too-short"
        /// A property that is computed or isn't stored.
        case readOnly = "read-only"
        /// A reference to no object, or to an object of the wrong entity.
        case reference
        /// An abstract entity.
        case abstract
        /// A name that occurs twice.
        case duplicate
        /// An identity or entity that differs from the object's own.
        case identity
    }

    private(set) var details: [Problem.Detail] = []
    private var count = 0
    var isEmpty: Bool { count == 0 }

    /// Adds an error. Beyond the limit of an answer, errors are only counted, and their messages aren't evaluated.
    mutating func add(
        _ code: Code,
        _ message: @autoclosure () -> String,
        hint: @autoclosure () -> String? = nil,
        at place: @autoclosure () -> BodyPosition
    ) {
        count += 1
        guard details.count < Problem.errorLimit else { return }
        let place = place()
        let message = message()
        details.append(
            Problem.Detail(
                object: place.object,
                property: place.property,
                code: code.rawValue,
                message: hint().map { "\(message) \($0)" } ?? message,
                extras: place.extras
            )
        )
    }

    /// Adds an error that was found elsewhere.
    mutating func add(_ detail: Problem.Detail) {
        count += 1
        if details.count < Problem.errorLimit { details.append(detail) }
    }

    /// Throws a problem if there are errors.
    func check() throws(Problem) {
        guard isEmpty else { throw problem }
    }

    /// All errors as a problem.
    var problem: Problem {
        var problem = Problem(.validation, count == 1 ? details[0].message : "\(count) values are invalid.")
        problem.errors = details
        problem.omittedErrors = count - details.count
        return problem
    }
}
