// SPDX-License-Identifier: Apache-2.0

// The values that fill an endpoint's pattern in a path of the OpenAPI document.

import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

struct PathBindings {
    let description: ModelDescription
    /// The entity of the path, or nil.
    private(set) var resource: Resource?
    private(set) var property: ResourceProperty?
    /// The query of the path, or nil.
    private var template: FetchRequestTemplate?

    init(_ description: ModelDescription) { self.description = description }

    /// Each entity, followed by its described properties that have paths.
    static func entities(_ description: ModelDescription) -> [PathBindings] {
        description.catalogue.resources.flatMap { resource in
            ([nil] + description.described(resource).filter { $0.segment != nil }).map { property in
                var place = PathBindings(description)
                place.resource = resource
                place.property = property
                return place
            }
        }
    }

    /// The place with each query of the model.
    var queries: [PathBindings] {
        description.model.model.fetchRequestTemplates.map { template in
            var place = self
            place.template = template
            return place
        }
    }

    /// The entity of the objects in the answer, or nil.
    var shown: Resource? {
        switch property?.property {
        case .relationship(let relationship): return description.catalogue.destination(of: relationship)
        case .fetched(let source): return resource(named: source.property.fetchRequest.entityName)
        case .attribute, nil: return template.map { resource(named: $0.entityName) } ?? resource
        }
    }

    /// Whether the place has the entities that the path needs.
    var isComplete: Bool { template == nil && property == nil || shown != nil }

    /// The names of the query's variables in order.
    var variables: [String] { template?.objectPredicate?.freeVariables.sorted() ?? [] }

    private func resource(named entity: String) -> Resource? {
        description.model.entity(named: entity).map { description.catalogue[$0] }
    }

    // MARK: Schemas

    func reference(_ shared: SharedSchema) -> JSONValue { description.reference(shared) }

    /// A schema of the path's entity.
    func reference(_ part: ComponentNames.Part) -> JSONValue { reference(part, of: resource) }

    func reference(_ part: ComponentNames.Part, of resource: Resource?) -> JSONValue {
        resource.map { description.reference($0, part) } ?? [:]
    }

    /// A reference to a schema of the path's entity.
    func schema(_ schema: (Resource) -> JSONValue) -> JSONValue { resource.map(schema) ?? [:] }

    /// The JSON response to a fetch.
    var pageOrTable: JSONValue {
        let others = [SharedSchema.references, .table, .count, .explanation].map(reference)
        return .any(of: [reference(.page, of: shown)] + others)
    }

    func oneOrSeveral(_ resource: Resource?) -> JSONValue {
        let one = reference(.object, of: resource)
        return .any(of: [one, .schema("object", required: ["items"], ["items": .list(of: one)])])
    }

    /// The body that inserts objects: one, or several, possibly of subentities.
    var newObjects: JSONValue {
        schema { resource in
            let all = [reference(.create)] + description.newObjects(below: resource)
            return .any(of: all + [.list(of: .any(of: all))])
        }
    }

    /// The value that the path's relationship is set to.
    var relatedObjects: JSONValue {
        guard let relationship = property?.relationship else { return [:] }
        return relationship.isToMany ? description.members(of: relationship) : description.schema(of: relationship)
    }

    /// The value that is added to the relationship.
    var addedObjects: JSONValue {
        guard let relationship = property?.relationship, let shown else { return [:] }
        let member = description.reference(shown, part: .member, in: relationship)
        return .any(of: [member, .list(of: member)])
    }

    /// Links to operations on a new object.
    var linksToCreated: JSONValue {
        let number = description.isOfContext ? "t?\\d+" : "\\d+"
        var place = self
        place.resource = shown
        let path = place.path(of: PathPattern("/api/{entity}"))
        let key: JSONValue = .string("$response.header.Location#regex:\(path)/(\(number))")
        let verbs: [(String, AccessVerb)] = [("get", .read), ("update", .update), ("delete", .delete)]
        let links = verbs.filter { place.permits($0.1) }.map { verb, _ -> (String, JSONValue) in
            let name = place.filled("\(verb){entity}", OperationNames.part)
            return (name, ["operationId": .string(name), "parameters": ["key": key]])
        }
        return .object(JSONObject(links))
    }

    private func permits(_ verb: AccessVerb) -> Bool { resource.map { description.permits(verb, $0) } ?? true }

    // MARK: Patterns

    /// The name of a component, with the schemas' names of the entities instead of words in braces.
    func component(_ name: String) -> String {
        let entity = resource.map { description.names[$0] } ?? ""
        let shown = shown.map { description.names[$0] } ?? ""
        return name.replacing("{entity}", with: entity).replacing("{shown}", with: shown)
    }

    /// The text with the place's names instead of words in braces.
    func filled(_ text: String, _ part: (String) -> String = { $0 }) -> String {
        var text = text
        if let resource { text = text.replacing("{entity}", with: part(resource.entity.name)) }
        if let attribute = property?.attribute?.attribute {
            text = text.replacing("{type}", with: attribute.userInfo["contentType"] ?? "application/octet-stream")
        }
        if let property { text = text.replacing("{property}", with: part(property.name)) }
        if let template { text = text.replacing("{query}", with: part(template.name)) }
        return text
    }

    /// The path of a pattern; below an editing context it is relative to the context.
    func path(of pattern: PathPattern) -> String {
        pattern.segments.dropFirst(description.isOfContext ? 1 : 0).map { segment in
            let name: String? =
                switch segment {
                case "{entity}": resource?.path
                case "{query}": template?.name
                default: segment == property?.segment ? property?.name : nil
                }
            return "/" + (name.map { RequestTarget.encode(segment: $0) } ?? segment)
        }.joined()
    }

    /// The parameter for a segment, or nil.
    func parameter(for segment: String) -> JSONValue? {
        let parameter: Contract.Parameter
        switch segment {
        case "{key}": parameter = .key
        case "{target}": parameter = .target
        case "{context}": parameter = .context
        case "{consumer}": parameter = .consumer
        case "{hook}": parameter = .hook
        case "{delivery}": parameter = .deadLetter
        case "{entity}" where resource == nil: parameter = Self.choice("entity", description.catalogue.names)
        case "{code}": parameter = Self.choice("code", ProblemCode.all.map(\.description))
        default: return nil
        }
        return description.parameters(parameter, at: self).first
    }

    private static func choice(_ name: String, _ all: [String]) -> Contract.Parameter {
        let schema: JSONValue = ["type": "string", "enum": .array(all.map(JSONValue.string))]
        return Contract.Parameter(name, .schema(schema), in: .path)
    }
}
