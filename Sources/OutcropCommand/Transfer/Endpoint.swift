// SPDX-License-Identifier: Apache-2.0

// The source or the target of a transfer: a store or a server, both accessed through the API.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import RESTAPI
import SQLiteStore
import SourceText
import Synchronization

/// Answers requests of the API.
protocol Endpoint {
    var model: ManagedObjectModel { get }
    /// The entities of the model that can have objects here.
    var entities: [EntityDescription] { get }
    /// The name in messages.
    var name: String { get }
    /// The UUIDs of the stores, which identify the target independently of its name.
    var stores: [String] { get }
    /// Why an export may lack objects, or nil.
    var restriction: String? { get }
    /// Whether a request with an `Idempotency-Key` can be repeated.
    var recordsAnswer: Bool { get }
    /// How many objects an import saves at once.
    ///
    /// - Parameter wanted: The number that the user has chosen.
    func chunkSize(_ wanted: Int?, hasNames: Bool) -> Int
    /// Whether the answer to a request with a key is still kept; nil if that can't be known.
    func hasAnswer(to key: String) throws -> Bool?
    /// Removes the answers to requests whose keys begin with a text.
    func removeAnswers(to keys: String) throws
    /// Answers a request. `take` receives the body of a success in parts; that of an error is in the answer.
    func send(_ request: HTTPRequest, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer
}

extension Endpoint {
    var entities: [EntityDescription] { model.entities.filter { !$0.isAbstract } }
    var restriction: String? { nil }

    /// Answers a request, with the complete body.
    func answer(_ request: HTTPRequest) throws -> EndpointAnswer {
        var body: [UInt8] = []
        var answer = try send(request) { body += $0 }
        if answer.isSuccess { answer.body = body }
        return answer
    }

    /// Whether there are no objects.
    func isEmpty() throws -> Bool {
        for entity in entities {
            let path = RequestTarget.encode(segment: entity.name)
            let answer = try get("/api/\(path)?result=ids&limit=1&includeSubentities=false")
            guard answer.isSuccess else {
                throw answer.failure("It can't be determined whether there are objects already")
            }
            if answer.json?["items"]?.array?.isEmpty != true { return false }
        }
        return true
    }

    func get(_ target: String) throws -> EndpointAnswer { try answer(HTTPRequest(.get, target)) }
}

/// The response to a request.
struct EndpointAnswer {
    let status: HTTPStatus
    var body: [UInt8] = []
    /// The seconds after which the request may be repeated, if it was one too many.
    var retryAfter: Int?

    /// Whether a server refused the request, which had neither key nor token.
    var lacksCredential = false
    /// Whether the answer is one of a server with access rules to a request without a credential.
    var isForAnonymous = false

    var isSuccess: Bool { (200..<300).contains(status.code) }
    var json: JSONValue? { try? JSONValue(parsing: body) }
    /// The code of a problem of the server itself, not of a proxy.
    private var problem: String? { isSuccess ? nil : json?["code"]?.string }

    /// Whether the server states that the request had no effect, now or earlier.
    var isRefusal: Bool {
        guard let problem, problem != ProblemCode.idempotency.description else { return false }
        return (400..<500).contains(status.code) || exceedsLimit
    }

    /// Whether an object that the request refers to wasn't found.
    var hasUnresolvedReference: Bool {
        !isSuccess && json?["errors"]?.array?.contains { $0["code"]?.string == "reference" } ?? false
    }

    /// The number of errors that the answer omits.
    var omittedErrors: Int { json?["errorsOmitted"]?.int64.map(Int.init) ?? 0 }

    /// Whether a smaller request might succeed.
    var exceedsLimit: Bool {
        [ProblemCode.tooLarge.description, ProblemCode.deadline.description].contains(problem)
    }

    /// Converts a problem to a failure of the program.
    ///
    /// - Parameter hint: Replaces the hint of the problem.
    func failure(_ doing: String, hint: String? = nil) -> Failure {
        let problem = json
        let detail = problem?["detail"]?.string ?? "the answer is \(status)"
        let first = problem?["errors"]?.array?.first.flatMap { error in
            error["message"]?.string.map { message in
                [error["object"]?.string, message].compactMap(\.self).joined(separator: ": ")
            }
        }
        let credential = "Set the variable \(RemoteEndpoint.credentialVariable) to an API key or a token."
        return Failure(
            "\(doing): \(detail)".asSentenceEnd,
            hint: first ?? hint ?? (lacksCredential ? credential : problem?["hint"]?.string),
            code: problem?["code"]?.string.map { "api.\($0)" },
            file: nil
        )
    }
}

/// A store opened by this program.
struct LocalEndpoint: Endpoint {
    let name: String
    let store: any PersistentStore
    var stores: [String] { [store.identifier.uuidString] }
    let coordinator: PersistentStoreCoordinator
    let api: API
    private let reason = LastReason()

    var model: ManagedObjectModel { coordinator.model }
    var entities: [EntityDescription] { model.entities.filter { !$0.isAbstract && coordinator.keeps($0) } }

    /// - Parameter configuration: The configuration of the store; nil for all entities.
    init(
        _ store: any PersistentStore,
        _ model: ManagedObjectModel,
        configuration: String? = nil,
        name: String
    ) throws {
        self.store = store
        self.name = name
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store, configuration: configuration)
        var options = APIOptions()
        options.deadline = nil
        options.batchDeadline = nil
        options.bodyValueLimit = .max
        options.bodyObjectLimit = .max
        options.answerLimit = .max
        // Answers don't expire, even if the store is served while an import is interrupted. Its end removes them.
        options.answerLifetime = .seconds(Int64.max)
        options.keptAnswerLimit = .max
        options.maximumIncludes = .max
        options.maximumIncludedObjects = .max
        do {
            api = try API(coordinator, options: options) { [reason] failure in
                reason.text.withLock { $0 = failure.reason }
            }
        } catch {
            throw Failure("The model's names are ambiguous.", hint: error.description)
        }
    }

    func send(_ request: HTTPRequest, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer {
        try answer(from: api.respond(to: request), take)
    }

    /// A store that is rewritten by each save would be rewritten once more to remove the answers.
    var recordsAnswer: Bool { store.keepsNotes && !store.keepsRowsInMemory }

    func chunkSize(_ wanted: Int?, hasNames: Bool) -> Int {
        store.keepsRowsInMemory ? .max : wanted ?? (hasNames ? 2_000 : 10_000)
    }

    func hasAnswer(to key: String) throws -> Bool? { try coordinator.note(key) != nil }

    func removeAnswers(to keys: String) throws {
        try (store as? SQLiteStore)?.removeNotes(beginningWith: keys)
    }

    private func answer(from response: HTTPResponse, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer {
        var answer = EndpointAnswer(status: response.status)
        switch response.body {
        case .none, .feed: break
        case .bytes(let bytes): if answer.isSuccess { try take(bytes) } else { answer.body = bytes }
        case .stream(_, let write):
            do {
                try withoutActuallyEscaping(take) { take in try write(PieceWriter(take)) }
            } catch let refusal as HTTPRefusal {
                throw Failure(
                    "The answer was truncated: \(reason.text.withLock { $0 } ?? refusal.message)".asSentenceEnd
                )
            }
        }
        return answer
    }

    /// Why the last response failed.
    private final class LastReason: Sendable {
        let text = Mutex<String?>(nil)
    }

    private final class PieceWriter: HTTPBodyWriter {
        private let take: ([UInt8]) throws -> Void

        init(_ take: @escaping ([UInt8]) throws -> Void) { self.take = take }

        func write(_ bytes: [UInt8]) throws { try take(bytes) }
    }
}
