// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// A request for the workers, with the means to deliver its response to the connection's loop.
struct RequestJob: Sendable {
    let id: ExchangeID
    let request: HTTPRequest
    /// The share of the memory budget that the body uses, released with the last copy.
    let share: MemoryShare?
    let server: ServerContext
    let mailbox: LoopMailbox
    /// Whether the request goes to a stream worker.
    let isStreaming: Bool
    /// The key by which clients are counted.
    let client: [UInt8]?
    /// The lane that the request occupies exclusively.
    let lane: HTTPLane?
    /// Whether the request may wait for locks held by others.
    let mayBlock: Bool
    /// A permit for a request in flight, released with the last copy.
    let permit: RequestPermit

    /// Submits the request to the workers. Returns false if there are too many.
    func submit() -> Bool {
        if isStreaming { return server.streams.submit(job(isLong: false)) }
        let isLong = server.application.mayTakeLong(request)
        return (server.application.isAboutServer(request) ? server.probes : server.workers).submit(job(isLong: isLong))
    }

    /// Submits the body of an immediate response to the workers. Returns false if there are too many.
    func submit(_ response: HTTPResponse) -> Bool {
        switch response.body {
        case .feed: server.workers.submit(delivery { deliver(response, $0) })
        default: server.streams.submit(delivery { deliver(response, $0) })
        }
    }

    /// Creates the job of answering.
    ///
    /// - Parameter before: How long the request waited before it turned out to take long.
    private func job(isLong: Bool, queued before: Duration = .zero) -> WorkerPool.Job {
        WorkerPool.Job(
            client: client,
            lane: lane,
            isLong: isLong,
            mayBlock: mayBlock,
            cancellation: request.cancellation
        ) { turn in whileWanted { run(isLong: isLong, queued: before + $0, turn) } ?? nil }
    }

    /// The job of making the body of an answer.
    private func delivery(_ work: @escaping @Sendable (Duration) -> Void) -> WorkerPool.Job {
        WorkerPool.Job(client: client, lane: nil, cancellation: request.cancellation) { _ in
            whileWanted(work)
            return nil
        }
    }

    /// Does the work of an answer unless the request was cancelled or timed out. The closure gets the time in the queue.
    @discardableResult
    private func whileWanted<Result>(_ work: (Duration) -> Result) -> Result? {
        guard !request.cancellation.isCancelled, let since = permit.stopWaiting() else { return nil }
        return work(Moment.now.duration(since: since))
    }

    /// Ends the lane's turn before the response is delivered. If the request turns out to take long, returns the job that
    /// answers it.
    private func run(isLong: Bool, queued: Duration, _ turn: LaneTurn?) -> WorkerPool.Job? {
        var request = request
        request.queued = queued
        let mayDefer = !isLong && !isStreaming && !mayBlock
        let response =
            mayDefer
            ? server.application.respondUnlessLong(to: request) : server.application.respond(to: request)
        guard let response else {
            permit.wait()
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
            // A slow client may only occupy a stream worker, never one that other requests need.
            if isStreaming { return stream(response, length, body, queued) }
            permit.wait()
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
            let refusal = error as? HTTPRefusal ?? HTTPRefusal(.internalServerError, "The answer couldn't be produced.")
            post(server.application.refusal(refusal.of(request)), nil, queued)
        }
    }

    private func pipe(limit: Int) -> OutputPipe {
        let pipe = OutputPipe(limit: limit) { [mailbox, id] in mailbox.post(.output(id)) }
        // This also covers a connection that closes before it receives the response.
        request.cancellation.onCancel { pipe.close() }
        return pipe
    }

    private func post(_ response: HTTPResponse, _ pipe: OutputPipe?, _ queued: Duration) {
        mailbox.post(.answer(id, response, pipe, queued: queued))
    }
}
