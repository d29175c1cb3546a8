// SPDX-License-Identifier: Apache-2.0

// Hints for findings in predicates, with what requests have.

import ObjectModel
import Predicates
import SourceText

extension PredicateReader {
    func hint(for issue: ModelIssue) -> String? {
        let ofModel = issue.hint.map(Self.shown)
        switch issue.code {
        case .predicateKey: return aliasHint(issue) ?? referenceHint(issue) ?? ofModel ?? quotingHint(issue)
        case .predicateType: return typeHint(issue, ofModel)
        default: return ofModel
        }
    }

    /// A suggestion for a mistyped alias.
    private func aliasHint(_ issue: ModelIssue) -> String? {
        guard !columns.isEmpty, let path = issue.place.property, !path.contains(".") else { return nil }
        return Spelling.hint(for: path, among: resource.properties.map(\.name) + columns.keys.sorted())
    }

    /// The reference that a name such as `id` or `author_id` means.
    private func referenceHint(_ issue: ModelIssue) -> String? {
        let steps = issue.place.property?.split(separator: ".").map(String.init) ?? []
        let owner = end(of: steps.dropLast())
        guard let name = steps.last, case .object(let entity) = owner.kind,
            let meant = api.catalogue.reference(meantBy: name, of: api.catalogue[api.catalogue.served(entity)])
        else { return nil }
        // A path to an object is its reference.
        let last = meant.name == "_id" && steps.count > 1 ? [] : [meant.name]
        let path = (steps.dropLast().map { ResourceProperty.name(of: $0) } + last).joined(separator: ".")
        let modifier = owner.isMany || meant.isMany ? "ANY " : ""
        return "Use a reference: \(modifier)\(path) == %@ with arg=\(meant.resource.path)/1."
    }

    /// A name that resembles no property is probably text without quotes.
    private func quotingHint(_ issue: ModelIssue) -> String? {
        guard issue.place.property?.contains(".") == false else { return nil }
        return "Put text in quotes, as in name == \"Ana\"."
    }

    /// How to pass a value of the type of the finding's path: most types have no literal.
    private func typeHint(_ issue: ModelIssue, _ ofModel: String?) -> String? {
        let end = end(of: issue.place.property?.split(separator: ".").map(String.init) ?? [])
        if end.isDate {
            return ["An argument is read as a date: %@ with arg=2026-01-31.", ofModel].joined()
        }
        if case .object(let entity) = end.kind {
            let path = api.catalogue[api.catalogue.served(entity)].path
            return [ofModel, "An argument is read as a reference: %@ with arg=\(path)/1."].joined()
        }
        return ofModel ?? "An argument, %@ with arg=…, takes the type of the other operand."
    }

    /// The type at the end of a path in the model's names.
    private func end(of steps: [String]) -> OperandType {
        let types = OperandTypeResolver(model: api.catalogue.described.model, entity: resource.described)
        guard !steps.isEmpty else { return OperandType(kind: .object(resource.described)) }
        return types.end(of: .keyPath(of: .evaluatedObject, Key.path(steps.joined(separator: "."))))
    }
}

extension [String?] {
    /// The sentences that there are.
    fileprivate func joined() -> String { compactMap(\.self).joined(separator: " ") }
}
