// SPDX-License-Identifier: Apache-2.0

// From requests that write to what is to be written, route by route.

import HTTPMessage
import JSON
import ObjectGraph

extension API {
    /// The plan of a request that writes objects; nil where the route is another's.
    func writePlan(_ request: APIRequest) throws(Problem) -> WritePlan? {
        switch (request.route, request.method) {
        case (.collection(let resource), .post): return try creation(request, resource)
        case (.object(let resource, let key), .patch): return try change(request, .update(location(resource, key)))
        case (.object(let resource, let key), .put): return try change(request, .replace(location(resource, key)))
        case (.object(let resource, let key), .delete): return try deletion(request, location(resource, key))
        case (.property(let resource, let key, let property), .put) where property.relationship != nil:
            return try assignment(request, location(resource, key), property)
        case (.property(let resource, let key, let property), .post) where property.relationship?.isToMany == true:
            return try addition(request, location(resource, key), property)
        case (.member(let resource, let key, let property, let target), .put):
            return try placing(request, location(resource, key), property, target)
        case (.member(let resource, let key, let property, let target), .delete):
            return try removal(request, location(resource, key), property, target)
        case (.transaction, .post): return try transaction(request)
        default: return nil
        }
    }

    private func location(_ resource: Resource, _ key: String) -> ObjectLocation {
        ObjectLocation(resource: resource, key: key)
    }

    private func creation(_ request: APIRequest, _ resource: Resource) throws(Problem) -> WritePlan {
        let isDryRun = try flags(request)
        let body = try request.json()
        guard !resource.entity.isAbstract else { throw .abstract(resource, catalogue) }
        var reader = BodyReader(catalogue, objectLimit: options.bodyObjectLimit)
        if let elements = body.array {
            var made: [Int] = []
            for (offset, element) in elements.enumerated() {
                let pointer = "/\(offset)"
                let place = BodyPlace(object: pointer, pointer: pointer, position: element.position)
                guard let object = element.object else {
                    reader.findings.add(.type, "An object is expected, not \(element.summary).", at: place)
                    continue
                }
                if let index = reader.insert(object, resource, place) { made.append(index) }
            }
            return try plan(request, &reader, .list(made), isDryRun)
        }
        let place = BodyPlace(object: resource.path, position: body.position)
        guard let object = body.object else { throw .noObject(body, "or an array of objects", at: place) }
        let index = reader.insert(object, resource, place)
        return try plan(request, &reader, .object(index ?? 0), isDryRun)
    }

    private func change(_ request: APIRequest, _ action: ObjectWrite.Action) throws(Problem) -> WritePlan {
        let isDryRun = try flags(request)
        let isPatch = request.method == .patch
        let body = try request.json(
            isPatch ? ["application/merge-patch+json", "application/json"] : ["application/json"]
        )
        let place = BodyPlace(object: action.location?.name ?? "", position: body.position)
        guard let object = body.object else { throw .noObject(body, nil, at: place) }
        var reader = BodyReader(catalogue, objectLimit: options.bodyObjectLimit)
        reader.change(object, action, place)
        return try plan(request, &reader, .object(0), isDryRun)
    }

    private func deletion(_ request: APIRequest, _ location: ObjectLocation) throws(Problem) -> WritePlan {
        let isDryRun = try flags(request)
        let write = ObjectWrite(action: .delete(location), place: BodyPlace(object: location.name))
        return try plan(request, [write], .deletion, isDryRun)
    }

    /// Sets a relationship as a whole.
    private func assignment(
        _ request: APIRequest,
        _ location: ObjectLocation,
        _ property: ResourceProperty
    ) throws(Problem) -> WritePlan {
        let isDryRun = try flags(request)
        let body = try request.json()
        var (reader, index, place) = owner(location, property, body)
        if property.relationship?.isToMany == true, body.array == nil {
            reader.findings.add(
                .type,
                "\(property.name) takes an array of references here, not \(body.summary).",
                hint: "PATCH \(location.name) takes {\"\(property.name)\": {\"add\": […], \"remove\": […]}}.",
                at: place
            )
        } else if let change = reader.change(body, of: property, at: place, in: index) {
            reader.add(PropertyWrite(property: property, change: change, place: place), to: index)
        }
        return try plan(request, &reader, .object(index), isDryRun)
    }

    /// Makes an object and adds it, or adds objects that are there.
    private func addition(
        _ request: APIRequest,
        _ location: ObjectLocation,
        _ property: ResourceProperty
    ) throws(Problem) -> WritePlan {
        let isDryRun = try flags(request)
        let body = try request.json()
        var (reader, index, place) = owner(location, property, body)
        guard let relationship = property.relationship else { throw .notFound(location) }
        let added =
            if let references = body.array {
                reader.references(references, of: relationship, at: place, in: index) ?? []
            } else {
                [reader.reference(body, to: catalogue.destination(of: relationship), at: place, in: index)].compactMap(
                    \.self
                )
            }
        let edit = PropertyWrite.Change.edit(MembersEdit(added: added))
        reader.add(PropertyWrite(property: property, change: edit, place: place), to: index)
        var plan = try plan(request, &reader, .object(index), isDryRun)
        plan.writes[index].onlyAdds = true
        if body.array == nil, case .write(let made)? = added.first?.target, plan.writes[made].isInsertion {
            plan.answer = .object(made)
        } else if body.array == nil, case .temporary(let name)? = added.first?.target {
            plan.answer = .object(plan.writes.firstIndex { $0.temporaryName == name } ?? index)
        }
        return plan
    }

    private func placing(
        _ request: APIRequest,
        _ location: ObjectLocation,
        _ property: ResourceProperty,
        _ target: String
    ) throws(Problem) -> WritePlan {
        var parameters = request.parameters
        let index = try parameters.takeNumber("at")
        let isDryRun = try parameters.takeFlag("dryRun") ?? false
        try parameters.refuseOthers(knowing: ["at", "dryRun"])
        guard let relationship = property.relationship else { throw .notFound(location) }
        guard index == nil || relationship.isOrdered else {
            throw Problem(.parameter, "\(property.name) has no order, so that there is no place “at” it.")
        }
        let place = BodyPlace(object: location.name, property: property.name)
        let member = Reference(target: .stored(self.member(of: relationship, target)), place: place)
        var edit = MembersEdit(added: [member], isOfPath: true)
        if let index { edit.moves = [MembersEdit.Move(member: member, index: index)] }
        return try edited(request, location, property, edit, isDryRun)
    }

    private func removal(
        _ request: APIRequest,
        _ location: ObjectLocation,
        _ property: ResourceProperty,
        _ target: String
    ) throws(Problem) -> WritePlan {
        let isDryRun = try flags(request)
        guard let relationship = property.relationship else { throw .notFound(location) }
        let place = BodyPlace(object: location.name, property: property.name)
        let member = Reference(target: .stored(self.member(of: relationship, target)), place: place)
        let edit = MembersEdit(removed: [member], isOfPath: true)
        return try edited(request, location, property, edit, isDryRun)
    }

    private func edited(
        _ request: APIRequest,
        _ location: ObjectLocation,
        _ property: ResourceProperty,
        _ edit: MembersEdit,
        _ isDryRun: Bool
    ) throws(Problem) -> WritePlan {
        let place = BodyPlace(object: location.name, property: property.name)
        var write = ObjectWrite(action: .update(location), place: BodyPlace(object: location.name))
        write.changes = [PropertyWrite(property: property, change: .edit(edit), place: place)]
        return try plan(request, [write], .object(0), isDryRun)
    }

    private func member(of relationship: RelationshipDescription, _ key: String) -> ObjectLocation {
        ObjectLocation(resource: catalogue.destination(of: relationship), key: key)
    }

    /// A reader with the write of an object of which one relationship is set.
    private func owner(
        _ location: ObjectLocation,
        _ property: ResourceProperty,
        _ body: JSONValue
    ) -> (BodyReader, Int, BodyPlace) {
        var reader = BodyReader(catalogue, objectLimit: options.bodyObjectLimit)
        let place = BodyPlace(object: location.name, position: body.position)
        let index = reader.begin(ObjectWrite(action: .update(location), place: place))
        return (reader, index, BodyPlace(object: location.name, property: property.name, position: body.position))
    }

    private func flags(_ request: APIRequest) throws(Problem) -> Bool {
        var parameters = request.parameters
        let isDryRun = try parameters.takeFlag("dryRun") ?? false
        try parameters.refuseOthers(knowing: ["dryRun"])
        return isDryRun
    }

    private func plan(
        _ request: APIRequest,
        _ writes: [ObjectWrite],
        _ answer: WritePlan.Answer,
        _ isDryRun: Bool
    ) throws(Problem) -> WritePlan {
        WritePlan(
            writes: writes,
            answer: answer,
            conditions: try Conditions(request.fields),
            preferences: request.preferences,
            isDryRun: isDryRun,
            author: request.author
        )
    }

    /// The plan of a body that was read, with what is wrong with it.
    func plan(
        _ request: APIRequest,
        _ reader: inout BodyReader,
        _ answer: WritePlan.Answer,
        _ isDryRun: Bool
    ) throws(Problem) -> WritePlan {
        if let refusal = reader.refusal { throw refusal }
        try request.reserve(reader.objectCount * Self.objectSize)
        reader.finish()
        if let refusal = reader.refusal { throw refusal }
        var plan = try plan(request, reader.writes, answer, isDryRun)
        plan.findings = reader.findings
        return plan
    }
}

extension API {
    /// What an object takes from the body to the answer, roughly.
    private static let objectSize = 2_048
}

extension APIRequest {
    /// Who writes, for history.
    var author: String? { fields["X-Author"] }
}

extension Problem {
    static func noObject(_ body: JSONValue, _ alternative: String?, at place: BodyPlace) -> Problem {
        var findings = Findings()
        let expected = ["An object", alternative].compactMap(\.self).joined(separator: " ")
        findings.add(.type, "\(expected) is expected, not \(body.summary).", at: place)
        return findings.problem
    }

    static func abstract(_ resource: Resource, _ catalogue: Catalogue) -> Problem {
        let kinds = catalogue.model.kinds(of: resource.entity).filter { !$0.isAbstract }
        var findings = Findings()
        findings.add(
            .abstract,
            "\(resource.entity.name) is abstract: there are no objects of it itself.",
            at: BodyPlace(object: resource.path)
        )
        var problem = findings.problem
        problem.hint = "POST to \(kinds.map { catalogue.path(of: catalogue[$0]) }.joined(separator: " or "))."
        return problem
    }

    static func notFound(_ location: ObjectLocation) -> Problem {
        Problem(.notFound, "There is no \(location.resource.entity.name) “\(location.key)”.")
    }
}
