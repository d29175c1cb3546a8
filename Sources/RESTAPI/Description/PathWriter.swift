// SPDX-License-Identifier: Apache-2.0

// Writes the paths of the OpenAPI document from the table of endpoints.

import HTTPMessage
import JSON
import ObjectGraph

struct PathWriter {
    private let description: ModelDescription
    private(set) var paths = JSONObject()
    private(set) var responses = ResponseComponents()
    private var names = OperationNames()

    init(_ description: ModelDescription, areas: [(tag: String?, endpoints: [APIEndpoint])]) {
        self.description = description
        for (tag, endpoints) in areas {
            let all = EndpointPath.grouped(endpoints)
            let places = tag == nil ? PathBindings.entities(description) : [PathBindings(description)]
            for place in places {
                for path in all where path.pattern.propertySegment == place.property?.segment {
                    let isOfQueries = path.pattern.segments.contains("{query}")
                    for place in isOfQueries ? place.queries : [place] { write(path, at: place, tag: tag) }
                }
            }
        }
    }

    private mutating func write(_ path: EndpointPath, at place: PathBindings, tag: String?) {
        let isAbstract = place.resource?.entity.isAbstract == true
        let endpoints = path.endpoints.filter { endpoint in
            if isAbstract, endpoint.contract.body.createsObjects { return false }
            return place.resource.map { description.permits(endpoint.verb, $0) } ?? true
        }
        guard place.isComplete, !endpoints.isEmpty else { return }
        var item = JSONObject()
        let isVersioned = description.namesVersions && path.pattern.segments.dependOnVersion
        let shared: [Contract.Parameter] = isVersioned ? [.acceptModel] : []
        let parameters =
            path.pattern.segments.compactMap(place.parameter)
            + shared.flatMap { description.parameters($0, at: place) }
        if !parameters.isEmpty { item["parameters"] = .array(parameters) }
        for endpoint in endpoints {
            item[endpoint.method.name.lowercased()] = operation(endpoint, at: place, tag: tag)
        }
        paths[place.path(of: path.pattern)] = .object(item)
    }

    private mutating func operation(_ endpoint: APIEndpoint, at place: PathBindings, tag: String?) -> JSONValue {
        let contract = endpoint.contract
        let summary = place.filled(description.part(of: endpoint.summary))
        var operation: JSONObject = [
            "operationId": .string(names.unused(place.filled(endpoint.name, OperationNames.part))),
            "summary": .string(summary), "tags": [.string(tag ?? place.resource?.entity.name ?? "")],
        ]
        let added: [Contract.Parameter] = endpoint.isRepeatable ? [.idempotencyKey] : []
        let parameters = (contract.parameters + added).flatMap { description.parameters($0, at: place) }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if !contract.body.schemas.isEmpty {
            let content = JSONValue.content(contract.body.schemas.map { ($0.type, $0.schema(place)) })
            operation["requestBody"] = ["required": .bool(contract.body.isRequired), "content": content]
        }
        var responses = JSONObject()
        for answer in contract.answers.sorted(by: { $0.status < $1.status }) {
            responses["\(answer.status)"] = response(answer, at: place, summary: summary)
        }
        responses["default"] = problemResponse(of: endpoint)
        operation["responses"] = .object(responses)
        return .object(operation)
    }

    private mutating func response(
        _ answer: Contract.Answer,
        at place: PathBindings,
        summary: String
    ) -> JSONValue {
        let schemas = answer.schemas.map { (place.filled($0.type), $0.schema(place)) }
        let response = JSONValue.response(answer.text ?? summary, answer.headers, schemas)
            .with("links", answer.hasLinks ? .some(place.linksToCreated) : .none)
        return answer.name.map { responses.reference(to: response, named: place.component($0)) } ?? response
    }

    /// The default response: any of the problems that requests may have.
    private mutating func problemResponse(of endpoint: APIEndpoint) -> JSONValue {
        let problems = problems(of: endpoint)
        let statuses = problems.map(\.rawValue).sorted().map { "\($0)" }.joined(separator: ", ")
        let content = [("application/problem+json", description.reference(.problem))]
        let response = JSONValue.response("A problem, with one of the statuses \(statuses)", [], content)
        return responses.reference(to: response, named: "Problem")
    }

    private func problems(of endpoint: APIEndpoint) -> Set<ProblemStatus> {
        let contract = endpoint.contract
        var all = Set(ProblemStatus.ofAll + contract.problems + contract.body.problems + endpoint.pattern.problems)
        all.formUnion(contract.parameters.flatMap(\.problems))
        if endpoint.pattern.segments.dependOnVersion { all.formUnion(Contract.Parameter.acceptModel.problems) }
        if endpoint.effect != .nothing, all.contains(.preconditionFailed) { all.insert(.preconditionRequired) }
        // Requests of other sites' pages that change something are refused.
        if endpoint.method != .get { all.insert(.crossSite) }
        // An editing context may have ended, may be too large, or its file may not be writable.
        if description.isOfContext {
            all.formUnion(endpoint.method == .get ? [.gone, .tooLarge] : [.gone, .tooLarge, .storeFull])
        }
        return all
    }
}

extension PathPattern {
    /// The problems with the place's path.
    fileprivate var problems: [ProblemStatus] {
        if segments.contains("{context}") { return [.notFound, .gone] }
        let mayBeMissing = segments.contains("{key}") || segments.contains("{code}") || segments[0] == "schemas"
        return mayBeMissing ? [.notFound] : []
    }
}
