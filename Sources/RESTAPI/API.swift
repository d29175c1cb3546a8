// SPDX-License-Identifier: Apache-2.0

// The API: from a request to an answer, by four steps. Parse, plan, execute, render.

public import HTTPMessage
import JSON
public import ObjectGraph

/// A model and its stores, as resources.
///
///     let api = try API(coordinator)
///     let response = api.respond(to: HTTPRequest(.get, "/api/posts/42"))
public final class API: Sendable {
    let coordinator: PersistentStoreCoordinator
    let options: APIOptions
    let catalogue: Catalogue

    /// Throws where names of the model can't be told apart in paths.
    public init(_ coordinator: PersistentStoreCoordinator, options: APIOptions = APIOptions()) throws(CatalogueProblems)
    {
        self.coordinator = coordinator
        self.options = options
        catalogue = try Catalogue(coordinator.model)
    }

    /// Answers a request, whatever it is.
    public func respond(to request: HTTPRequest) -> HTTPResponse {
        var response: HTTPResponse
        do throws(Problem) {
            response = try answer(request)
        } catch {
            response = error.response
        }
        return response
    }

    private func answer(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
        let target = try RequestTarget(reading: request.target)
        guard let route = try catalogue.route(target.segments) else {
            throw Problem(.notFound, "There is nothing at “\(target.path)”.", hint: "GET /api lists what there is.")
        }
        let methods = route.methods
        if request.method == .options {
            return HTTPResponse(.noContent, fields: [.allow: methods.map(\.name).joined(separator: ", ")])
        }
        guard methods.contains(request.method) else { throw .method(request.method, methods) }
        if target.hasTrailingSlash { return Self.redirect(target) }
        let plan = try plan(APIRequest(request, target, route))
        let reply = try execute(plan)
        return render(reply)
    }

    private static func redirect(_ target: RequestTarget) -> HTTPResponse {
        var path = target.path
        while path.hasSuffix("/") { path.removeLast() }
        let query = target.rawQuery.map { "?\($0)" } ?? ""
        return HTTPResponse(.permanentRedirect, fields: [.location: path + query])
    }
}

extension RequestTarget {
    /// The target of a request, or why it is none.
    fileprivate init(reading text: String) throws(Problem) {
        do throws(HTTPRefusal) {
            self = try RequestTarget(text)
        } catch {
            throw Problem(.malformed, error.message)
        }
    }
}

extension Problem {
    fileprivate static func method(_ method: HTTPMethod, _ allowed: [HTTPMethod]) -> Problem {
        let names = allowed.map(\.name).joined(separator: ", ")
        var problem = Problem(.method, "\(method) isn't allowed here.", hint: "Allowed: \(names).")
        problem.fields = [.allow: names]
        return problem
    }
}
