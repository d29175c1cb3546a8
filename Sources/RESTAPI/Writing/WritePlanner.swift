// SPDX-License-Identifier: Apache-2.0

// Plans writes.

import HTTPMessage
import JSON
import ObjectGraph

/// Plans the write of one request.
struct WritePlanner {
    let api: API
    let request: APIRequest
    private let isDryRun: Bool
    /// The requested position of a member.
    private let memberIndex: Int?

    init(_ request: APIRequest, of api: API) throws(Problem) {
        self.api = api
        self.request = request
        var parameters = request.parameters
        memberIndex = try parameters.readNumber("at")
        isDryRun = try parameters.readFlag("dryRun") ?? false
    }

    /// Those who administer also set passwords.
    var reader: BodyReader {
        BodyReader(
            api.catalogue,
            accounts: api.access == nil ? api.accounts : nil,
            objectLimit: api.options.bodyObjectLimit
        )
    }

    func creation(of resource: Resource) throws(Problem) -> WritePlan {
        let body = try request.json()
        guard !resource.entity.isAbstract else { throw .abstract(resource, in: api.catalogue) }
        var reader = reader
        if let elements = body.array {
            var inserted: [Int] = []
            for (offset, element) in elements.enumerated() {
                let pointer = "/\(offset)"
                let place = BodyPosition(object: pointer, pointer: pointer, position: element.position)
                guard let object = element.object else {
                    reader.findings.add(.type, "An object is expected, not \(element.summary).", at: place)
                    continue
                }
                if let index = reader.insert(object, resource, place) { inserted.append(index) }
            }
            return try plan(&reader, answering: .list(inserted))
        }
        let place = BodyPosition(object: resource.path, position: body.position)
        guard let object = body.object else { throw .notAnObject(body, "or an array of objects", at: place) }
        let index = reader.insert(object, resource, place)
        return try plan(&reader, answering: .object(index ?? 0))
    }

    func change(_ action: ObjectWrite.Action) throws(Problem) -> WritePlan {
        let types = request.method == .patch ? ["application/merge-patch+json"] : []
        let body = try request.json(types + ["application/json"])
        let place = BodyPosition(object: action.location?.name ?? "", position: body.position)
        guard let object = body.object else { throw .notAnObject(body, nil, at: place) }
        var reader = reader
        reader.change(object, action, place)
        return try plan(&reader, answering: .object(0))
    }

    func deletion(of location: ObjectLocation) throws(Problem) -> WritePlan {
        let write = ObjectWrite(action: .delete(location), place: BodyPosition(object: location.name))
        return try plan([write], answering: .deletion)
    }

    /// Replaces a relationship's value.
    func assignment(
        of property: ResourceProperty,
        at location: ObjectLocation
    ) throws(Problem) -> WritePlan {
        let body = try request.json()
        var (reader, index, place) = owner(of: property, at: location, body: body)
        if property.relationship?.isToMany == true, body.array == nil {
            reader.findings.add(
                .type,
                "\(property.name) takes an array of references, not \(body.summary).",
                hint:
                    "To add or remove members, PATCH \(location.name) with {\"\(property.name)\": {\"add\": […], \"remove\": […]}}.",
                at: place
            )
        } else if let change = reader.change(body, of: property, at: place, in: index) {
            reader.add(PropertyWrite(property: property, change: change, place: place), to: index)
        }
        return try plan(&reader, answering: .object(index))
    }

    /// Inserts an object and adds it, or adds existing objects.
    func addition(to property: ResourceProperty, at location: ObjectLocation) throws(Problem) -> WritePlan {
        let body = try request.json()
        var (reader, index, place) = owner(of: property, at: location, body: body)
        guard let relationship = property.relationship else { throw .notFound(location) }
        let added =
            if let references = body.array {
                reader.references(references, of: relationship, at: place, in: index) ?? []
            } else {
                [
                    reader.reference(body, to: api.catalogue.destination(of: relationship), at: place, in: index)
                ].compactMap(\.self)
            }
        let edit = PropertyWrite.Change.edit(MembersEdit(added: added))
        reader.add(PropertyWrite(property: property, change: edit, place: place), to: index)
        var plan = try plan(&reader, answering: .object(index))
        plan.writes[index].onlyAdds = true
        if body.array == nil, case .write(let made)? = added.first?.target, plan.writes[made].isInsertion {
            plan.answer = .object(made)
        } else if body.array == nil, case .temporary(let name)? = added.first?.target {
            plan.answer = .object(plan.writes.firstIndex { $0.temporaryName == name } ?? index)
        }
        return plan
    }

    /// Adds the member that the path names, or moves it.
    func placing(in property: ResourceProperty, at location: ObjectLocation) throws(Problem) -> WritePlan {
        guard memberIndex == nil || property.relationship?.isOrdered == true else {
            throw Problem(.parameter, "\(property.name) isn't ordered, so “at” can't be used.")
        }
        return try edit(property, at: location) { member in
            let moves = memberIndex.map { [MembersEdit.Move(member: member, index: $0)] } ?? []
            return MembersEdit(added: [member], moves: moves, isFromPath: true)
        }
    }

    func removal(from property: ResourceProperty, at location: ObjectLocation) throws(Problem) -> WritePlan {
        try edit(property, at: location) { MembersEdit(removed: [$0], isFromPath: true) }
    }

    /// Edits a relationship for the member that the path names.
    private func edit(
        _ property: ResourceProperty,
        at location: ObjectLocation,
        _ edit: (Reference) -> MembersEdit
    ) throws(Problem) -> WritePlan {
        guard let relationship = property.relationship else { throw .notFound(location) }
        let place = BodyPosition(object: location.name, property: property.name)
        let member = ObjectLocation(resource: api.catalogue.destination(of: relationship), key: request.path.target)
        let change = PropertyWrite.Change.edit(edit(Reference(target: .stored(member), place: place)))
        var write = ObjectWrite(action: .update(location), place: BodyPosition(object: location.name))
        write.changes = [PropertyWrite(property: property, change: change, place: place)]
        return try plan([write], answering: .object(0))
    }

    /// A reader with a write that sets one relationship of an object.
    private func owner(
        of property: ResourceProperty,
        at location: ObjectLocation,
        body: JSONValue
    ) -> (BodyReader, Int, BodyPosition) {
        var reader = reader
        let place = BodyPosition(object: location.name, position: body.position)
        let index = reader.begin(ObjectWrite(action: .update(location), place: place))
        return (reader, index, BodyPosition(object: location.name, property: property.name, position: body.position))
    }

    private func plan(_ writes: [ObjectWrite], answering answer: WritePlan.Answer) throws(Problem) -> WritePlan {
        WritePlan(
            writes: writes,
            answer: answer,
            conditions: try Preconditions(request.fields),
            preferences: request.preferences,
            isDryRun: isDryRun,
            author: request.author
        )
    }

    /// The plan of a body, with the findings in it.
    func plan(_ reader: inout BodyReader, answering answer: WritePlan.Answer) throws(Problem) -> WritePlan {
        if let refusal = reader.refusal { throw refusal }
        try request.reserve(reader.objectCount * Self.objectSize)
        reader.finish()
        if let refusal = reader.refusal { throw refusal }
        var plan = try plan(reader.writes, answering: answer)
        plan.findings = reader.findings
        return plan
    }

    /// The approximate memory of an object from the body to the answer.
    private static let objectSize = 2_048
}

extension APIRequest {
    /// The author for history.
    var author: String? { preferences.author ?? fields["X-Author"] }
}

extension Problem {
    static func notAnObject(_ body: JSONValue, _ alternative: String?, at place: BodyPosition) -> Problem {
        var findings = Findings()
        let expected = ["An object", alternative].compactMap(\.self).joined(separator: " ")
        findings.add(.type, "\(expected) is expected, not \(body.summary).", at: place)
        return findings.problem
    }

    static func abstract(_ resource: Resource, in catalogue: Catalogue) -> Problem {
        let kinds = catalogue.kinds(of: resource).filter { !$0.entity.isAbstract }
        var findings = Findings()
        findings.add(
            .abstract,
            "\(resource.name) is abstract.",
            at: BodyPosition(object: resource.path)
        )
        var problem = findings.problem
        problem.hint = "POST to \(kinds.map(catalogue.path(of:)).joined(separator: " or "))."
        return problem
    }

    static func notFound(_ location: ObjectLocation, hint: String? = nil) -> Problem {
        Problem(.notFound, "There is no \(location.resource.name) “\(location.key)”.", hint: hint)
    }
}
