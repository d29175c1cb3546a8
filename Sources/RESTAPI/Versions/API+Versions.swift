// SPDX-License-Identifier: Apache-2.0

// Requests of clients that were built for another version of the model: `Accept-Model`.

import HTTPMessage
import ObjectGraph

extension API {
    /// The API of the version that a request names, or this one.
    func version(for request: HTTPRequest, at target: RequestTarget) throws(Problem) -> API {
        guard let name = request.fields[.acceptModel], let versions, target.segments.dependOnVersion else {
            return self
        }
        return try versions.api(named: name, of: self) ?? self
    }

    /// The catalogue with the names of a request; the served one if the request will be refused.
    func catalogue(for request: HTTPRequest) -> Catalogue {
        guard let name = request.fields[.acceptModel], let versions else { return catalogue }
        return (try? versions.api(named: name, of: self))?.catalogue ?? catalogue
    }

    /// Whether a request is in the names of the served version.
    func isInServedVersion(_ request: HTTPRequest) -> Bool {
        guard let name = request.fields[.acceptModel] else { return true }
        return versions?.isServed(name) ?? true
    }

    /// Tells caches that an answer depends on the version that the request names.
    func addVersionFields(to response: inout HTTPResponse, for request: HTTPRequest) {
        guard versions?.hasOthers == true || request.fields.contains(.acceptModel) else { return }
        guard ["/api", "/openapi.json", "/schemas/"].contains(where: request.target.hasPrefix) else { return }
        response.fields.add(.vary, FieldName.acceptModel.description)
    }
}

extension EditingContext {
    /// The context's API for clients of another API: of another version of the model, or of an identity.
    func api(for other: API) -> API {
        if let access = other.access {
            let names = other.drafts.map { Catalogue($0, at: api.catalogue.path) } ?? api.catalogue
            return API(viewing: api, as: names, for: access)
        }
        guard let drafts = other.drafts else { return api }
        return API(viewing: api, as: Catalogue(drafts, at: api.catalogue.path))
    }
}

extension [String] {
    /// Whether answers at a path with these segments are about objects or the model, not about the server.
    var dependOnVersion: Bool {
        switch first {
        case "api": self != ["api", "stats"]
        case "openapi.json", "schemas": true
        default: false
        }
    }
}
