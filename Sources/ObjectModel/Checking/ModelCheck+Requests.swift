// SPDX-License-Identifier: Apache-2.0

// Fetch requests, and other uses of the format language.

import Predicates

extension ModelCheck {
    mutating func checkTemplates() {
        var names: Set<String> = []
        for template in model.fetchRequestTemplates {
            let part = "The fetch request template “\(template.name)”"
            if !names.insert(template.name).inserted {
                report(.requestDuplicate, template.entityName, "\(part) occurs more than once.")
            }
            check(template, nil, part, variables: nil)
        }
    }

    mutating func check(_ property: FetchedProperty, of entity: Entity) {
        check(
            property.fetchRequest,
            ModelIssue.Place(entity: entity.name, property: property.name),
            "The fetched property “\(property.name)”",
            variables: ["FETCH_SOURCE": .object(entity.name), "FETCHED_PROPERTY": .any]
        )
    }

    private mutating func check(
        _ request: FetchRequestTemplate,
        _ place: ModelIssue.Place?,
        _ part: String,
        variables: [String: PredicateVariable]?
    ) {
        guard let entity = model.entity(named: request.entityName) else {
            let isMissing = request.entityName.isEmpty
            if isMissing, isUnread(place?.entity, place?.property) { return }
            return report(
                .requestEntity,
                place?.entity ?? (isMissing ? nil : request.entityName),
                place?.property,
                isMissing
                    ? "\(part) has no entity." : "\(part) has the unknown entity “\(request.entityName)”.",
                hint: guess(request.entityName) { $0.entities.map(\.name) }
            )
        }
        guard let predicate = request.predicate, !predicate.isEmpty else { return }
        checkPredicate(
            predicate,
            on: entity,
            place?.entity ?? entity.name,
            place?.property,
            part,
            variables: variables,
            atWorst: .warning
        )
    }

    mutating func checkPredicate(
        _ format: String,
        on entity: Entity,
        _ place: String,
        _ property: String?,
        _ part: String,
        variables: [String: PredicateVariable]?,
        atWorst worst: ModelIssue.Severity = .error
    ) {
        do throws(FormatError) {
            let predicate = try ObjectPredicate(template: format)
            var checker = predicateCheck(on: entity, variables: variables)
            checker.check(predicate)
            report(checker.issues, place, property, in: part, atWorst: worst)
        } catch {
            reportSyntax(error, of: format, place, property, part)
        }
    }

    mutating func checkExpression(
        _ format: String,
        on entity: Entity,
        _ place: String,
        _ property: String?,
        _ part: String
    ) {
        do throws(FormatError) {
            let expression = try ObjectExpression(template: format)
            var checker = predicateCheck(on: entity, variables: [:])
            _ = checker.type(of: expression)
            report(checker.issues, place, property, in: part)
        } catch {
            reportSyntax(error, of: format, place, property, part)
        }
    }

    mutating func reportSyntax(
        _ error: FormatError,
        of format: String,
        _ place: String,
        _ property: String?,
        _ part: String
    ) {
        let position = error.excerpt(of: format).map { "\n\($0)" } ?? ""
        report(
            .predicateSyntax,
            place,
            property,
            "\(part) can't be read: \(error.message)\(position)",
            hint: error.hint
        )
    }
}
