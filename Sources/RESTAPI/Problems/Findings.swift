// SPDX-License-Identifier: Apache-2.0

// What is wrong with the values of a body, collected so that all of it is told at once.

import HTTPMessage
import JSON
import SourceText

/// Where in a body something stands: for whoever looks at the object, at the JSON, or at the text.
struct BodyPlace: Equatable, Sendable {
    /// What the object is called: its reference, its temporary name, or where it stands in the body.
    var object: String
    var property: String?
    /// The place as RFC 6901 writes it.
    var pointer = ""
    /// Where the text is, if it was read from one.
    var position: TextPosition?

    init(object: String, property: String? = nil, pointer: String = "", position: TextPosition? = nil) {
        (self.object, self.property, self.pointer, self.position) = (object, property, pointer, position)
    }

    /// The place of a member of the object, or of an element of the property that this is the place of.
    func member(_ name: String, _ json: JSONValue? = nil) -> BodyPlace {
        BodyPlace(
            object: object,
            property: property.map { "\($0).\(name)" } ?? name,
            pointer: Self.pointer(pointer, name),
            position: json?.position ?? position
        )
    }

    /// The place of something within the property's value.
    func part(_ name: String, _ json: JSONValue? = nil) -> BodyPlace {
        var part = self
        (part.pointer, part.position) = (Self.pointer(pointer, name), json?.position ?? position)
        return part
    }

    /// The place as an error has it.
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

/// What is wrong with a body.
struct Findings: Equatable, Sendable {
    /// What kind of thing is wrong with a value; what a save finds has codes of its own, see `ValidationFailure.Code.name`.
    enum Code: String, CaseIterable, Sendable {
        /// No such property, entity or key.
        case unknown
        /// A value that the property can't have.
        case type
        /// A number, or a date, that doesn't fit.
        case range
        /// A text with more characters than it may have.
        case length = "too-long"
        /// A property that is computed, or isn't kept.
        case readOnly = "read-only"
        /// A reference to nothing, or to an object of the wrong entity.
        case reference
        /// An entity of which there are no objects.
        case abstract
        /// A name that is given twice.
        case duplicate
        /// An identity or an entity that isn't the object's own.
        case identity
    }

    private(set) var details: [Problem.Detail] = []
    private var count = 0
    var isEmpty: Bool { count == 0 }

    /// Adds what is wrong. Beyond the most that an answer tells it is only counted, without its message being made.
    mutating func add(
        _ code: Code,
        _ message: @autoclosure () -> String,
        hint: @autoclosure () -> String? = nil,
        at place: @autoclosure () -> BodyPlace
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

    /// Throws what was found, if anything was.
    func check() throws(Problem) {
        guard isEmpty else { throw problem }
    }

    /// All of it as a problem.
    var problem: Problem {
        var problem = Problem(.validation, count == 1 ? details[0].message : "\(count) values can't be taken.")
        problem.errors = details
        problem.omittedErrors = count - details.count
        return problem
    }
}
