// SPDX-License-Identifier: Apache-2.0

// Changes the served model: the request for it, and what the next API continues.

package import HTTPMessage
package import JSON
import ObjectGraph
package import ObjectModel

/// Changes the model of the server, or finds out what that would do. Throws a problem if the model is refused.
package typealias ModelChanger = @Sendable (ModelChangeRequest) throws -> JSONValue

/// A request to change the served model.
package struct ModelChangeRequest: Sendable {
    /// The new model; nil to read the server's model file again.
    package let model: Model?
    /// Whether to keep nothing.
    package let isRehearsal: Bool

    package init(model: Model? = nil, isRehearsal: Bool = false) {
        self.model = model
        self.isRehearsal = isRehearsal
    }
}

extension ModelChangeRequest {
    init(_ request: APIRequest) throws {
        var parameters = request.parameters
        isRehearsal = try parameters.readFlag("dryRun") ?? false
        guard let body = try request.optionalJSON() else {
            model = nil
            return
        }
        let file: ModelFile
        do throws(ModelError) {
            file = try ModelFile(json: body.serializedBytes(), name: "body")
        } catch {
            throw Problem.refusedModel([error.issue])
        }
        let errors = file.current.issues.filter { $0.severity == .error }
        guard errors.isEmpty else { throw Problem.refusedModel(errors) }
        model = file.current.model
    }
}

extension API {
    func changingModel(_ request: ModelChangeRequest) throws -> JSONValue {
        guard let modelChanger else {
            throw Problem(
                .forbidden,
                "Requests may not change the model.",
                hint: "Start the server with --allow-model-changes, or send it SIGHUP after changing its model file."
            )
        }
        return try modelChanger(request)
    }

    /// Makes the streams that have begun, or wait for it, go on with the present state of the stores, which are about to
    /// be migrated.
    package func prepareStreamsForMigration() throws {
        coordinator.isEnding = true
        hooks?.suspend()
        do {
            try streamedStates.hold(of: coordinator)
        } catch {
            continueStreams()
            throw error
        }
    }

    /// Lets streams go on as before, since the stores aren't migrated.
    package func continueStreams() {
        coordinator.isEnding = false
        streamedStates.releaseExpired()
        hooks?.resume()
    }

    /// Ends live queries, whose clients connect to the API of the new model.
    package func endLiveQueries() { liveQueries.endForOtherModel() }

    /// The answer to a request that arrives while the stores are being migrated.
    package func responseWhileMigrating(to request: HTTPRequest) -> HTTPResponse {
        let problem = Problem.duringModelChange(
            "The stores are being migrated to a new model.",
            hint: "Try again after “Retry-After” seconds."
        )
        return finished(problem.response, to: request, trace: RequestTrace(request))
    }
}

extension Problem {
    /// Something that the present or another change of the model doesn't permit for a while.
    package static func duringModelChange(_ message: String, hint: String) -> Problem {
        var problem = Problem(.migrating, message, hint: hint)
        problem.fields = [.retryAfter: "1"]
        return problem
    }

    /// A model that can't be served, with all reasons.
    package static func refusedModel(
        _ issues: [ModelIssue],
        _ message: String = "The model can't be used.",
        hint: String? = nil
    ) -> Problem {
        var problem = Problem(.model, message, hint: hint)
        problem.errors = issues.map { issue in
            Detail(
                object: issue.place.entity,
                property: issue.place.property,
                code: issue.code.rawValue,
                message: issue.message
            )
        }
        return problem
    }
}
