// SPDX-License-Identifier: Apache-2.0

// What goes wrong in a server itself, which its log has and no client.

public import HTTPMessage
import ObjectGraph

/// Why a request could not be done that should have been possible.
public struct APIFailure: Hashable, Sendable {
    /// The ID under which the client may report it.
    public let requestID: String
    public let method: HTTPMethod
    public let target: String
    /// What was thrown, which may name files.
    public let reason: String

    public init(requestID: String, method: HTTPMethod, target: String, reason: String) {
        (self.requestID, self.method, self.target, self.reason) = (requestID, method, target, reason)
    }
}

extension API {
    /// Tells of a failure, if the problem is one of the server.
    func report(_ problem: Problem, of request: HTTPRequest, _ requestID: String) {
        guard let reason = problem.reason ?? (problem.code == .internal ? problem.detail : nil) else { return }
        onFailure(APIFailure(requestID: requestID, method: request.method, target: request.target, reason: reason))
    }

    /// The response with a body that tells of what keeps it from being made, and of no client that goes away.
    func watching(_ response: HTTPResponse, to request: HTTPRequest, _ requestID: String) -> HTTPResponse {
        guard case .stream(let length, let write) = response.body else { return response }
        var response = response
        let (method, target) = (request.method, request.target)
        response.body = .stream(length: length) { [onFailure] writer in
            do {
                try write(writer)
            } catch let failure as ContentFailure {
                onFailure(APIFailure(requestID: requestID, method: method, target: target, reason: failure.reason))
                // Where nothing was sent yet, the answer has the same ID.
                var refusal = HTTPRefusal(.internalServerError, "The answer could not be made.")
                refusal.requestID = requestID
                throw refusal
            }
        }
        return response
    }
}

/// That bytes can't be read which an answer is made of.
struct ContentFailure: Error {
    let reason: String
}

extension Problem {
    /// Something that should not have happened: the client hears what could not be done, and the log why.
    static func failed(_ error: any Error, _ detail: String = "The request could not be done.") -> Problem {
        var problem = Problem(.internal, detail)
        problem.reason = reason(of: error)
        return problem
    }

    /// An error as a log has it.
    static func reason(of error: any Error) -> String {
        if let error = error as? GraphError { return "\(error.code.rawValue): \(error)" }
        return "\(error)"
    }
}
