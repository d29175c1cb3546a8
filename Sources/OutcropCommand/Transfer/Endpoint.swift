// SPDX-License-Identifier: Apache-2.0

// Who has the objects that are imported and exported: a store, or a server. Both are spoken to by the API.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import RESTAPI
import SourceText
import Synchronization

/// Answers requests of the API.
protocol Endpoint {
    var model: ManagedObjectModel { get }
    /// Those of the model's entities that there may be objects of.
    var entities: [EntityDescription] { get }
    /// What it is called in messages.
    var name: String { get }
    /// Answers a request, and hands on the body piece by piece where it was fulfilled. Otherwise the answer has the body.
    func send(_ request: HTTPRequest, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer
}

extension Endpoint {
    var entities: [EntityDescription] { model.entities.filter { !$0.isAbstract } }

    /// Answers a request as a whole.
    func answer(_ request: HTTPRequest) throws -> EndpointAnswer {
        var body: [UInt8] = []
        var answer = try send(request) { body += $0 }
        if answer.isFine { answer.body = body }
        return answer
    }

    /// Whether there are no objects.
    func isEmpty() throws -> Bool {
        for entity in entities {
            let path = RequestTarget.encode(segment: entity.name)
            let answer = try get("/api/\(path)?result=ids&limit=1&includeSubentities=false")
            guard answer.isFine else { throw answer.failure("Nothing tells whether there are objects already") }
            if answer.json?["items"]?.array?.isEmpty != true { return false }
        }
        return true
    }

    func get(_ target: String) throws -> EndpointAnswer { try answer(HTTPRequest(.get, target)) }
}

/// What came of a request.
struct EndpointAnswer {
    let status: HTTPStatus
    var body: [UInt8] = []

    var isFine: Bool { (200..<300).contains(status.code) }
    var json: JSONValue? { try? JSONValue(parsing: body) }
    /// The code of a problem that the server tells, rather than whoever stands before it.
    private var problem: String? { isFine ? nil : json?["code"]?.string }

    /// Whether the server says that nothing of it was done, now or before.
    var isRefusal: Bool {
        guard let problem, problem != ProblemCode.idempotency.description else { return false }
        return (400..<500).contains(status.code) || isTooMuch
    }

    /// Whether less of it at once might be done.
    var isTooMuch: Bool {
        [ProblemCode.tooLarge.description, ProblemCode.deadline.description].contains(problem)
    }

    /// What a problem says as a failure of the program.
    ///
    /// - Parameter hint: What helps rather than what the problem itself says.
    func failure(_ doing: String, hint: String? = nil) -> Failure {
        let problem = json
        let detail = problem?["detail"]?.string ?? "the answer is \(status)"
        let first = problem?["errors"]?.array?.first.flatMap { error in
            error["message"]?.string.map { message in
                [error["object"]?.string, message].compactMap(\.self).joined(separator: ": ")
            }
        }
        return Failure(
            "\(doing): \(detail)".asSentenceEnd,
            hint: first ?? hint ?? problem?["hint"]?.string,
            code: problem?["code"]?.string.map { "api.\($0)" },
            file: nil
        )
    }
}

/// A store that this program has opened.
struct LocalEndpoint: Endpoint {
    let name: String
    let store: any PersistentStore
    let coordinator: PersistentStoreCoordinator
    let api: API
    private let reason = LastReason()

    var model: ManagedObjectModel { coordinator.model }
    var entities: [EntityDescription] { model.entities.filter { !$0.isAbstract && coordinator.keeps($0) } }

    /// - Parameter configuration: The configuration of the model whose entities the store keeps; nil for all.
    init(
        _ store: any PersistentStore,
        _ model: ManagedObjectModel,
        configuration: String? = nil,
        name: String
    ) throws {
        (self.store, self.name) = (store, name)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store, configuration: configuration)
        var options = APIOptions()
        (options.deadline, options.batchDeadline) = (nil, nil)
        options.bodyValueLimit = .max
        options.bodyObjectLimit = .max
        options.answerLimit = .max
        (options.maximumIncludes, options.maximumIncludedObjects) = (.max, .max)
        do {
            api = try API(coordinator, options: options) { [reason] failure in
                reason.text.withLock { $0 = failure.reason }
            }
        } catch {
            throw Failure("The model's names can't be told apart.", hint: error.description)
        }
    }

    func send(_ request: HTTPRequest, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer {
        try answer(from: api.respond(to: request), take)
    }

    /// Answers a request as a whole, and records what new objects are called before they are saved: what is recorded is there whenever the
    /// objects are. Where that throws they aren't saved.
    func answer(
        _ request: HTTPRequest,
        recordingNames record: ([String: String]) throws -> Void
    ) throws -> EndpointAnswer {
        let response = withoutActuallyEscaping(record) { record in
            let recording = NameRecorder(record: record)
            return api.respond(to: request) { names in try recording.record(names) }
        }
        var body: [UInt8] = []
        var answer = try answer(from: response) { body += $0 }
        if answer.isFine { answer.body = body }
        return answer
    }

    // Sendable though the closure isn't: the API calls it on the thread that asks.
    private struct NameRecorder: @unchecked Sendable {
        let record: ([String: String]) throws -> Void
    }

    private func answer(from response: HTTPResponse, _ take: ([UInt8]) throws -> Void) throws -> EndpointAnswer {
        var answer = EndpointAnswer(status: response.status)
        switch response.body {
        case .none, .feed: break
        case .bytes(let bytes): if answer.isFine { try take(bytes) } else { answer.body = bytes }
        case .stream(_, let write):
            do {
                try withoutActuallyEscaping(take) { take in try write(PieceWriter(take)) }
            } catch let refusal as HTTPRefusal {
                throw Failure("The answer broke off: \(reason.text.withLock { $0 } ?? refusal.message)".asSentenceEnd)
            }
        }
        return answer
    }

    /// Why an answer failed last.
    private final class LastReason: Sendable {
        let text = Mutex<String?>(nil)
    }

    private final class PieceWriter: HTTPBodyWriter {
        private let take: ([UInt8]) throws -> Void

        init(_ take: @escaping ([UInt8]) throws -> Void) { self.take = take }

        func write(_ bytes: [UInt8]) throws { try take(bytes) }
    }
}
