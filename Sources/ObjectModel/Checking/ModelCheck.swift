// SPDX-License-Identifier: Apache-2.0

// Checks a whole model and reports all problems in the model's order.

import SourceText

extension Model {
    /// The problems of the model: errors, and warnings where it won't work as its author expects.
    ///
    ///     for issue in model.issues() where issue.severity == .error { print(issue.message) }
    public func issues(file: String? = nil) -> [ModelIssue] {
        var check = ModelCheck(self, file: file)
        check.check()
        return check.issues
    }
}

extension ModelVersion {
    /// The issues found while reading the version, followed by those of the check of its model.
    ///
    /// What couldn't be read is not reported as missing too.
    public func findings(file: String? = nil) -> [ModelIssue] {
        var check = ModelCheck(model, file: file, unread: issues.filter { $0.severity == .error }.map(\.place))
        check.check()
        return issues + check.issues
    }
}

/// Walks through a model once. The rules of each subject have a file of their own.
struct ModelCheck {
    let model: Model
    let hierarchy: EntityHierarchy
    let claimedInverses: Set<[String]>
    let parentNames: Set<String>
    let composites: [String: VersionHash]
    private let file: String?
    private let unread: Set<[String?]>
    private(set) var issues: [ModelIssue] = []
    /// How many names suggestions may still compare, since in a large model with many mistakes they would dominate the
    /// check.
    private var namesLeft = 50_000

    /// - Parameter unread: The places of values that couldn't be read and therefore look absent.
    init(_ model: Model, file: String?, unread: [ModelIssue.Place] = []) {
        self.model = model
        self.file = file
        self.unread = Set(unread.map { [$0.entity, $0.property] })
        hierarchy = EntityHierarchy(model)
        claimedInverses = Self.claimedInverses(in: model, hierarchy)
        parentNames = Set(model.entities.compactMap(\.parentName))
        composites = VersionHasher.compositeHashes(of: model)
    }

    mutating func check() {
        checkEntityNames()
        for entity in model.entities {
            checkHierarchy(of: entity)
            checkPropertyNames(of: entity)
            check(entity.userInfo, of: entity.name)
            for attribute in entity.attributes {
                checkName(of: attribute.name, in: entity)
                check(attribute, of: entity)
                check(attribute.userInfo, of: entity.name, attribute.name)
            }
            for relationship in entity.relationships {
                checkName(of: relationship.name, in: entity)
                check(relationship, of: entity)
                check(relationship.userInfo, of: entity.name, relationship.name)
            }
            for property in entity.fetchedProperties {
                checkName(of: property.name, in: entity)
                check(property, of: entity)
                check(property.userInfo, of: entity.name, property.name)
            }
            checkIndexes(of: entity)
            checkConstraints(of: entity)
        }
        checkComposites()
        checkConfigurations()
        checkTemplates()
    }

    /// Whether a missing value may be one that couldn't be read. An empty name counts as no name.
    func isUnread(_ entity: String?, _ property: String? = nil) -> Bool {
        unread.contains([entity, property].map { $0?.isEmpty == true ? nil : $0 })
    }

    /// A hint with the closest existing name.
    mutating func guess(_ name: String, among names: (Model) -> [String]) -> String? {
        candidates(names).flatMap { Spelling.hint(for: name, among: $0) }
    }

    /// What a suggestion may name, or nil if too much was compared before.
    mutating func candidates<Candidate>(_ all: (Model) -> [Candidate]) -> [Candidate]? {
        guard namesLeft > 0 else { return nil }
        let all = all(model)
        namesLeft -= all.count
        return all
    }

    func predicateCheck(
        on entity: Entity,
        variables: [String: PredicateVariable]?,
        isForFetching: Bool = true
    ) -> PredicateCheck {
        PredicateCheck(
            model,
            entity,
            variables: variables,
            isFetched: isForFetching,
            hierarchy,
            guessesLeft: max(0, namesLeft) / model.entities.count
        )
    }

    mutating func report(
        _ code: ModelIssue.Code,
        isMild: Bool = false,
        _ entity: String?,
        _ property: String?,
        _ message: String,
        hint: String? = nil
    ) {
        let place = ModelIssue.Place(file: file, entity: entity, property: property)
        issues.append(ModelIssue(code, isMild: isMild, at: place, message, hint: hint))
    }

    mutating func report(
        _ code: ModelIssue.Code,
        isMild: Bool = false,
        _ entity: String?,
        _ message: String,
        hint: String? = nil
    ) {
        report(code, isMild: isMild, entity, nil, message, hint: hint)
    }

    /// Reports the findings about a predicate or an expression under the part of the model that contains it, with no
    /// severity above `worst`.
    mutating func report(
        _ found: [ModelIssue],
        _ entity: String?,
        _ property: String?,
        in part: String,
        atWorst worst: ModelIssue.Severity = .error
    ) {
        namesLeft -= found.count * model.entities.count
        for var issue in found {
            issue.severity = min(issue.severity, worst)
            issue.place = ModelIssue.Place(file: file, entity: entity, property: property)
            issue.message = "\(part): \(issue.message)"
            issues.append(issue)
        }
    }
}
