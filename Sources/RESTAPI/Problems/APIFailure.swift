// SPDX-License-Identifier: Apache-2.0

// Failures of the server itself, which are logged and not shown to clients.

package import HTTPMessage
import ObjectGraph

/// Why the server failed to execute a valid request.
package struct APIFailure: Hashable, Sendable {
    /// The ID that the client sees and may report.
    package let requestID: String
    package let method: HTTPMethod
    package let target: String
    /// The error, which may name files.
    package let reason: String

    package init(requestID: String, method: HTTPMethod, target: String, reason: String) {
        self.requestID = requestID
        self.method = method
        self.target = target
        self.reason = reason
    }
}

extension API {
    /// Reports a problem that is a failure of the server.
    func report(_ problem: Problem, of request: HTTPRequest, requestID: String) {
        guard let reason = problem.reason ?? (problem.code == .internal ? problem.detail : nil) else { return }
        onFailure(APIFailure(requestID: requestID, method: request.method, target: request.target, reason: reason))
    }

    /// Makes a streamed body report failures of its source, but not that a client disconnected.
    func reportingFailures(of response: HTTPResponse, to request: HTTPRequest, requestID: String) -> HTTPResponse {
        guard case .stream(let length, let write) = response.body else { return response }
        var response = response
        let method = request.method
        let target = request.target
        response.body = .stream(length: length) { [onFailure] writer in
            do {
                try write(writer)
            } catch let failure as ContentFailure {
                onFailure(APIFailure(requestID: requestID, method: method, target: target, reason: failure.reason))
                // If nothing was sent yet, the error response has the same ID.
                var refusal = HTTPRefusal(.internalServerError, "The answer couldn't be produced.")
                refusal.requestID = requestID
                throw refusal
            }
        }
        return response
    }
}

/// The bytes of a response can't be read.
struct ContentFailure: Error {
    let reason: String
}

extension Problem {
    /// An unexpected error: the client learns what failed, and the log why.
    static func failed(_ error: any Error, _ detail: String = "The request couldn't be completed.") -> Problem {
        var problem = Problem(.internal, detail)
        problem.reason = reason(of: error)
        return problem
    }

    /// The text of an error in the log.
    static func reason(of error: any Error) -> String {
        if let error = error as? GraphError { return "\(error.code.rawValue): \(error)" }
        return "\(error)"
    }
}
