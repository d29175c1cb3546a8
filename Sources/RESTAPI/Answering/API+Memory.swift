// SPDX-License-Identifier: Apache-2.0

// Requests that are answered from memory on the event loop: cached objects, unchanged lists, liveness, and refused
// origins. This code must not block, and its cost adds to every such request.

package import HTTPMessage
import JSON
import ObjectGraph

extension API {
    package func respondImmediately(to request: HTTPRequest) -> HTTPResponse? {
        guard case .passes = crossSite.verdict(on: request) else { return respond(to: request) }
        if let accessGuard { return accessGuard.respondImmediately(to: request, of: self) }
        return respondImmediatelyAsPermitted(to: request)
    }

    func respondImmediatelyAsPermitted(to request: HTTPRequest) -> HTTPResponse? {
        guard request.method == .get || request.method == .head, isInServedVersion(request),
            !coordinator.hasUnnoticedWrites
        else { return nil }
        let start = ContinuousClock.now
        guard let objectID = objectID(at: request.target) else {
            return request.target == "/healthz" ? respond(to: request) : unchangedList(request, since: start)
        }
        guard let row = coordinator.cachedSnapshot(of: objectID), isShownFromMemory(row) else { return nil }
        return answer(to: request, with: row, since: start)
    }

    /// The object of a path such as `/api/posts/42`, which need not exist; nil for all other targets.
    func objectID(at target: String) -> ManagedObjectID? {
        objectPathParser.object(target).flatMap { entity, number in
            coordinator.objectID(entity: entity, reference: .integer(number))
        }
    }

    /// The answer with a single object. Nil for a request with conditions or formats that take the general way.
    func answer(to request: HTTPRequest, with row: Snapshot, since start: ContinuousClock.Instant) -> HTTPResponse? {
        // A version doesn't say whether an identity can read what the object refers to.
        guard request.acceptsJSON, !request.fields.contains(.ifMatch), !request.isOfTerminal,
            access?.restrictsReferences(of: row.objectID.entity) != true
        else { return nil }
        let shape = catalogue.shape(of: row.objectID.entity)
        let tag = row.tag(of: shape)
        var response: HTTPResponse
        if let known = request.fields[.ifNoneMatch] {
            // Lists of tags and weak tags take the general way.
            guard EntityTag(parsing: known)?.stateTag.description == tag else { return nil }
            response = HTTPResponse(.notModified, fields: Self.unchangedFields)
            response.fields.add(.etag, known)
        } else {
            var buffer = JSONBuffer(capacity: 1024)
            buffer.write(ObjectDTO(row: row, shape: shape), in: catalogue)
            response = HTTPResponse(.ok, fields: Self.memoryFields, body: .bytes(buffer.bytes))
            response.fields.add(.etag, tag)
            response.compress(for: request)
        }
        crossSite.addFields(to: &response.fields, for: request.fields[.origin])
        if versions?.hasOthers == true { response.fields.add(.vary, Self.acceptModel) }
        addAccessFields(to: &response)
        response.fields.add(.modelVersion, modelVersion)
        response.fields.add(.requestID, RequestID.of(request))
        response.fields.add(.serverTiming, ServerTiming.total(since: start))
        statistics.add(.read, duration: ContinuousClock.now - start)
        return response
    }

    /// “Not modified”, if the client has the present list.
    private func unchangedList(_ request: HTTPRequest, since start: ContinuousClock.Instant) -> HTTPResponse? {
        guard let known = request.fields[.ifNoneMatch], let tag = tag(ofListAt: request.target)?.description,
            EntityTag(parsing: known)?.stateTag.description == tag, request.acceptsJSON,
            !request.fields.contains(.ifMatch), !request.fields.contains(.prefer)
        else { return nil }
        var response = HTTPResponse(.notModified, fields: Self.unchangedFields)
        response.fields.add(.etag, known)
        crossSite.addFields(to: &response.fields, for: request.fields[.origin])
        if versions?.hasOthers == true { response.fields.add(.vary, Self.acceptModel) }
        addAccessFields(to: &response)
        response.fields.add(.modelVersion, modelVersion)
        response.fields.add(.requestID, RequestID.of(request))
        response.fields.add(.serverTiming, ServerTiming.total(since: start))
        statistics.add(.fetch, duration: ContinuousClock.now - start)
        return response
    }

    private static let memoryFields = strictFields([.contentType: "application/json"])
    private static let acceptModel = FieldName.acceptModel.description
    private static let unchangedFields = strictFields(HeaderFields())

    private static func strictFields(_ fields: HeaderFields) -> HeaderFields {
        var response = HTTPResponse(.ok, fields: fields)
        response.addStrictFields()
        return response.fields
    }
}

extension HTTPRequest {
    fileprivate var acceptsJSON: Bool {
        guard let accept = fields[.accept], accept != "*/*" else { return true }
        return AcceptedMediaTypes(fields).bestMatch(among: [.json]) != nil
    }
}
