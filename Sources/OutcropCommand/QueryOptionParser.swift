// SPDX-License-Identifier: Apache-2.0

// Parses the texts of a query and checks them against the model, with errors that show their position.

import ObjectGraph
import ObjectModel
import Predicates
import RESTAPI

struct QueryOptionParser {
    let entity: EntityDescription
    let model: Model
    /// Converts arguments; nil if the model's names are ambiguous in references.
    let names: ObjectNames?
    let width: Int

    /// The predicate, and warnings about it.
    func predicate(_ text: String, arguments: [JSONArgument]) throws -> (ObjectPredicate, remarks: [ModelIssue]) {
        var predicate = try naming("--where", text) { () throws(FormatError) in
            try ObjectPredicate(text, arguments: arguments.map(\.value))
        }
        let template = try naming("--where", text) { () throws(FormatError) in try ObjectPredicate(template: text) }
        if let names, !arguments.isEmpty {
            do throws(ArgumentProblem) {
                predicate = try names.filled(template, arguments: arguments.map(\.json), on: entity)
            } catch {
                throw Failure("--arg: \(error.message)", hint: error.hint)
            }
        }
        let issues = model.check(predicate, on: entity.entity, variables: [:])
        // An argument has the type of the other operand, unless it can't be converted.
        try refuse(
            issues.filter { $0.severity == .error || !arguments.isEmpty && $0.code == .predicateType },
            "--where"
        )
        return (predicate, issues.filter { $0.severity == .warning })
    }

    func order(_ text: String) throws -> [ObjectSortDescriptor] {
        do {
            let descriptors = try ObjectSortDescriptor.list(parsing: text)
            for descriptor in descriptors {
                try refuse(errors(model.check(descriptor.keyPath, on: entity.entity)), "--sort")
            }
            return descriptors
        } catch let error as SortDescriptorError {
            let place = String(repeating: " ", count: error.position) + "^"
            throw Failure("--sort: \(error.message).", hint: "\(text)\n\(place)\n\(error.hint.asSentence)")
        }
    }

    /// Splits expressions at commas outside of brackets and quotes. Each becomes a column named by its text.
    func columns(_ text: String) throws -> [ExpressionDescription] {
        try Self.parts(of: text).map { part in
            guard !part.isEmpty else {
                throw Failure("--select: A column is missing.", hint: "Write them as in 'title,author.name'.")
            }
            if part == "objectID" { return ExpressionDescription(keyPath: part) }
            let expression = try naming("--select", part) { () throws(FormatError) in try ObjectExpression(part) }
            try refuse(errors(model.check(expression, on: entity.entity, variables: [:])), "--select")
            return ExpressionDescription(part, expression)
        }
    }

    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var depth = 0
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                isEscaped = false
            } else if let open = quote {
                isEscaped = character == "\\"
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if "([{".contains(character) {
                depth += 1
            } else if ")]}".contains(character) {
                depth -= 1
            } else if character == ",", depth == 0 {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
        }
        return parts.map { part in
            let start = part.drop { $0.isWhitespace }
            return String(start.prefix(start.count - start.reversed().prefix { $0.isWhitespace }.count))
        }
    }

    private func naming<Result>(
        _ option: String,
        _ text: String,
        _ body: () throws(FormatError) -> Result
    ) throws(Failure) -> Result {
        do {
            return try body()
        } catch {
            let details = [error.excerpt(of: text, width: width), error.hint].compactMap(\.self)
            throw Failure(
                "\(option): \(error.message)",
                hint: details.isEmpty ? nil : details.joined(separator: "\n"),
                code: error.code.rawValue,
                file: nil
            )
        }
    }

    private func errors(_ issues: [ModelIssue]) -> [ModelIssue] { issues.filter { $0.severity == .error } }

    /// Throws if there are errors.
    private func refuse(_ errors: [ModelIssue], _ option: String) throws(Failure) {
        guard let first = errors.first else { return }
        guard errors.count > 1 else {
            throw Failure("\(option): \(first.message)", hint: first.hint, code: first.code.rawValue, file: nil)
        }
        throw Failure("\(option) doesn't match the model.", issues: errors)
    }
}

extension String {
    /// With a capital first letter.
    fileprivate var asSentence: String { prefix(1).uppercased() + dropFirst() }
}
