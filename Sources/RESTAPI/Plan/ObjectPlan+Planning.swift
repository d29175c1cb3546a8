// SPDX-License-Identifier: Apache-2.0

// Plans reading one object by its path or through a relationship.

import HTTPMessage

extension ObjectPlan {
    /// `GET /api/{E}/{pk}`, or through a to-one relationship.
    init(
        _ request: APIRequest,
        along relationship: ResourceProperty? = nil,
        of target: ObjectLocation,
        in api: API
    ) throws(Problem) {
        self.target = target
        self.relationship = relationship
        let destination = relationship?.relationship.map(api.catalogue.destination) ?? target.resource
        var parameters = request.parameters
        asOf = try parameters.readToken("asOf")
        selection = try Self.selection(parameters, of: destination, in: api)
        if asOf != nil, selection.embedded.contains(where: { $0.selection != nil }) {
            throw Problem(
                .parameter,
                "With “asOf”, related objects can't be embedded.",
                hint: "Read each with its own “asOf”."
            )
        }
        conditions = try Preconditions(request.fields)
    }

    private static func selection(
        _ all: Parameters,
        of resource: Resource,
        in api: API
    ) throws(Problem) -> Selection {
        guard !all.isEmpty else { return .all }
        var parameters = all
        var arguments = try parameters.readArguments()
        let select = try parameters.read("select")
        let include = try parameters.read("include")
        let selection = try SelectionReader(api: api).selection(
            of: resource,
            select: select,
            include: include,
            arguments: &arguments
        )
        try arguments.refuseUnread()
        return selection
    }
}
