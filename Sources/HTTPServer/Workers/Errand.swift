// SPDX-License-Identifier: Apache-2.0

// A request on its way through the workers.

import HTTPMessage

/// One request, and how its answer comes back to the loop of its connection.
struct Errand: Sendable {
    let id: ExchangeID
    let request: HTTPRequest
    /// The memory that its body takes, until the last of them has this no longer.
    let share: MemoryShare?
    let server: ServerContext
    let mailbox: LoopMailbox
    /// Whether a worker for streams has it.
    let isStreaming: Bool
    /// Whom it is for, as clients are counted.
    let client: [UInt8]?
    /// What no other request may use while it is answered.
    let lane: HTTPLane?
    /// Whether it may wait for what others hold.
    let mayBlock: Bool
    /// A place among the requests in flight, until the last of them has this no longer.
    let place: FlightPlace

    /// Has a worker answer. False where there are too many requests already.
    func submit() -> Bool {
        if isStreaming { return server.streams.submit(job(isLong: false)) }
        let isLong = server.application.mayTakeLong(request)
        return (server.application.isAboutServer(request) ? server.probes : server.workers).submit(job(isLong: isLong))
    }

    /// Has a worker make the body of an answer that was found at once. False where there are too many already.
    func submit(_ response: HTTPResponse) -> Bool {
        switch response.body {
        case .feed: server.workers.submit(delivery { deliver(response, $0) })
        default: server.streams.submit(delivery { deliver(response, $0) })
        }
    }

    /// The job of answering.
    ///
    /// - Parameter before: How long it has waited before it turned out to take long.
    private func job(isLong: Bool, queued before: Duration = .zero) -> WorkerPool.Job {
        WorkerPool.Job(
            client: client,
            lane: lane,
            isLong: isLong,
            mayBlock: mayBlock,
            cancellation: request.cancellation
        ) { turn in whileWanted { answer(isLong: isLong, queued: before + $0, turn) } ?? nil }
    }

    /// The job of making the body of an answer.
    private func delivery(_ work: @escaping @Sendable (Duration) -> Void) -> WorkerPool.Job {
        WorkerPool.Job(client: client, lane: nil, cancellation: request.cancellation) { _ in
            whileWanted(work)
            return nil
        }
    }

    /// Does what an answer takes if it is still wanted, with how long it has waited.
    @discardableResult
    private func whileWanted<Result>(_ work: (Duration) -> Result) -> Result? {
        guard !request.cancellation.isCancelled, let since = place.stopWaiting() else { return nil }
        return work(Moment.now.duration(since: since))
    }

    /// Ends the lane's turn before the answer is delivered. Returns what is left to do where it takes long.
    private func answer(isLong: Bool, queued: Duration, _ turn: LaneTurn?) -> WorkerPool.Job? {
        var request = request
        request.queued = queued
        let mayPutOff = !isLong && !isStreaming && !mayBlock
        let response =
            mayPutOff
            ? server.application.respondUnlessLong(to: request) : server.application.respond(to: request)
        guard let response else {
            place.wait()
            return job(isLong: true, queued: queued)
        }
        turn?.end()
        deliver(response, queued)
        return nil
    }

    private func deliver(_ response: HTTPResponse, _ queued: Duration) {
        guard request.method != .head, !response.status.isBodiless else { return post(response, nil, queued) }
        switch response.body {
        case .none, .bytes: post(response, nil, queued)
        case .feed(let start):
            let pipe = pipe(limit: server.limits.feedBacklog)
            post(response, pipe, queued)
            start(Feed(pipe))
        case .stream(let length, let body):
            // A slow client holds up a worker for streams, of which there are enough, and never one that others wait for.
            if isStreaming { return stream(response, length, body, queued) }
            place.wait()
            if !server.streams.submit(delivery { again in stream(response, length, body, queued + again) }) {
                post(server.application.refusal(server.overload("queuedStreams").of(request)), nil, queued)
            }
        }
    }

    private func stream(
        _ response: HTTPResponse,
        _ length: Int?,
        _ body: (any HTTPBodyWriter) throws -> Void,
        _ queued: Duration
    ) {
        let pipe = pipe(limit: server.limits.outputBuffer)
        let writer = StreamWriter(pipe, length: length) { post(response, pipe, queued) }
        do {
            try body(writer)
            try writer.finish()
        } catch {
            pipe.fail()
            guard !writer.hasBegun else { return }
            let refusal = error as? HTTPRefusal ?? HTTPRefusal(.internalServerError, "The answer could not be made.")
            post(server.application.refusal(refusal.of(request)), nil, queued)
        }
    }

    private func pipe(limit: Int) -> OutputPipe {
        let pipe = OutputPipe(limit: limit) { [mailbox, id] in mailbox.post(.output(id)) }
        // Also where its connection has gone before it has heard of the answer.
        request.cancellation.onCancel { pipe.close() }
        return pipe
    }

    private func post(_ response: HTTPResponse, _ pipe: OutputPipe?, _ queued: Duration) {
        mailbox.post(.answer(id, response, pipe, queued: queued))
    }
}
