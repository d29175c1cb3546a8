// SPDX-License-Identifier: Apache-2.0

// Values that clients provide for placeholders and variables.

import JSON
import SourceText

/// A value for a placeholder or variable of a yet unknown type.
enum PredicateArgument: Equatable, Sendable {
    /// Text in a query, converted to the type of the other operand.
    case text(String)
    case json(JSONValue)

    /// Parses an argument in a query; one that begins with a bracket or quote is JSON.
    init(query text: String) throws(Problem) {
        guard text.hasPrefix("[") || text.hasPrefix("\"") else {
            self = .text(text)
            return
        }
        do throws(JSONError) {
            self = .json(try JSONValue(parsing: text))
        } catch {
            throw Problem(
                .predicate,
                "An argument that begins with a bracket or a quote must be JSON, but “\(text)” isn't: \(error.message)",
                hint: "Pass such text as a JSON string: \"\\\"…\\\"\"."
            )
        }
    }

    /// The argument in quotes, for messages.
    var words: String {
        let text =
            switch self {
            case .text(let text): text
            case .json(let value): value.string ?? value.serialized()
            }
        return "“\(text.count > 60 ? text.prefix(59) + "…" : text[...])”"
    }
}

/// The arguments of a request, which its predicates take in order: `where`, then `having`, then those of included
/// relationships.
struct PredicateArguments: Equatable {
    let all: [PredicateArgument]
    /// By name, without the dollar sign.
    let variables: [String: PredicateArgument]
    private var taken = 0
    private var used: Set<String> = []

    init(_ all: [PredicateArgument] = [], variables: [String: PredicateArgument] = [:]) {
        self.all = all
        self.variables = variables
    }

    /// Takes the next arguments, up to `count`.
    mutating func next(_ count: Int) -> [PredicateArgument] {
        let some = all[taken...].prefix(count)
        taken += some.count
        return Array(some)
    }

    mutating func use(variable name: String) -> PredicateArgument? {
        used.insert(name)
        return variables[name]
    }

    /// Refuses arguments that no predicate has taken.
    func refuseUnread() throws(Problem) {
        guard taken == all.count else {
            throw Problem(
                .predicate,
                "The number of arguments (\(all.count)) doesn't match that of placeholders (\(taken)).",
                hint:
                    "Each %@ and %K takes one argument. Placeholders in quotes aren't substituted; write %@ without quotes."
            )
        }
        guard let other = variables.keys.filter({ !used.contains($0) }).min() else { return }
        throw Problem(
            .predicate,
            "No predicate uses the variable “$\(other)”.",
            hint: Spelling.hint(for: "$\(other)", among: used.sorted().map { "$\($0)" })
        )
    }
}
