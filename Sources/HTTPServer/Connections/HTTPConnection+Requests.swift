// SPDX-License-Identifier: Apache-2.0

// Requests of a connection.

import HTTPMessage

extension HTTPConnection {
    /// How many requests a connection may start before others get a turn.
    private static let requestsPerTurn = 32

    /// Reads requests and sends responses until the connection would block or its turn ends.
    func advance() {
        guard !isPausing else { return send() }
        var needsMore = false
        turnEnd = exchangeCount + Self.requestsPerTurn
        repeat {
            while phase == .open, mayRead, !needsMore { needsMore = readNext() }
            send()
        } while phase == .open && mayRead && !needsMore
        guard phase == .open, exchange == nil, exchangeCount >= turnEnd, !needsMore else { return }
        isPausing = true
        loop.mailbox.post(.resume(connection: id))
    }

    /// Continues after other connections had their turn.
    func resume() {
        isPausing = false
        update()
    }

    private var mayRead: Bool {
        guard let exchange else { return hasRoom && exchangeCount < turnEnd }
        return exchange.isReceiving && !exchange.isFull
    }

    /// Handles the next part of the input. Returns true if more input is needed.
    private func readNext() -> Bool {
        do throws(HTTPRefusal) {
            switch try reader.next() {
            case .needMore:
                if hasInputEnded { endOfInput() }
                return true
            case .head(let head): begin(head)
            case .body(let bytes): receiveBody(bytes)
            case .end: endBody()
            }
        } catch {
            refuse(naming(error))
        }
        return false
    }

    private func endOfInput() {
        if exchange?.isAnswered ?? true { finish() } else { abort() }
    }

    private func begin(_ head: HTTPRequestHead) {
        exchangeCount += 1
        let exchange = Exchange(head, number: exchangeCount, peer: peer, security: security, started: requestStart)
        if loop.server.isDraining || exchangeCount >= loop.limits.requestsPerConnection { exchange.keepsAlive = false }
        self.exchange = exchange
        switch head.framing {
        case .none, .length(0): break
        case .length, .chunked: prepareForBody(head, exchange.request)
        }
    }

    private func prepareForBody(_ head: HTTPRequestHead, _ request: HTTPRequest) {
        switch application.reception(of: request) {
        case .collect(let limit): reader.bodyLimit = min(limit, loop.limits.body)
        case .stream:
            reader.bodyLimit = loop.limits.streamedBody
            let id = ExchangeID(connection: id, number: exchangeCount)
            let pipe = BodyPipe(limit: loop.limits.inputBuffer) { [mailbox = loop.mailbox] in
                mailbox.post(.wantsBody(id))
            }
            exchange?.request.body = .stream(pipe)
            exchange?.intake = .streaming(pipe)
        case .refuse(let response):
            // The body is not read until the response is sent.
            exchange?.isFull = true
            return respond(response)
        }
        let share = MemoryShare(of: loop.server.bodies)
        exchange?.share = share
        exchange?.request.memory = HTTPMemory { share.reserve($0) }
        // The reader refuses a body that is too long before the client sends it.
        if case .length(let length) = head.framing, length > reader.bodyLimit { return }
        allowBody()
    }

    /// Sends `100 Continue` to a client that waits for it; one that has begun to send doesn't.
    private func allowBody() {
        guard exchange?.awaitsContinue == true else { return }
        exchange?.awaitsContinue = false
        if reader.unreadCount == 0 { sendContinue() }
    }

    func sendContinue() { output.append(HTTPResponse.interimContinue) }

    private func receiveBody(_ bytes: [UInt8]) {
        guard let exchange else { return }
        exchange.received += bytes.count
        exchange.awaitsContinue = false
        if case .none = exchange.answer, exchange.share?.reserve(bytes.count) == false {
            return refuse(loop.server.overload("bodiesInMemory"))
        }
        switch exchange.intake {
        case .collecting: exchange.collected += bytes
        case .streaming(let pipe):
            exchange.isFull = !pipe.append(bytes)
            if exchange.isFull { receiving.close() }
            // No worker is assigned until enough bytes have arrived, so that a slow client doesn't occupy one.
            if case .none = exchange.answer, exchange.received >= loop.limits.inputBuffer / 4 {
                submitRequest(isStreaming: true)
            }
        case .discarding(let left):
            if bytes.count > left { return finish() }
            exchange.intake = .discarding(left - bytes.count)
        case .complete: break
        }
    }

    private func endBody() {
        receiving.close()
        guard let exchange else { return }
        let intake = exchange.intake
        exchange.intake = .complete
        switch intake {
        case .collecting: respondToRequest()
        case .streaming(let pipe):
            pipe.end()
            if case .none = exchange.answer { submitRequest(isStreaming: true) }
            endIfComplete()
        case .discarding, .complete: endIfComplete()
        }
    }

    /// Answers a complete request.
    private func respondToRequest() {
        guard let exchange else { return }
        if !exchange.collected.isEmpty { exchange.request.body = .bytes(exchange.collected) }
        if let response = application.respondImmediately(to: exchange.request) { return respond(response) }
        if let response = application.respondShortly(to: exchange.request) {
            // A read takes as long as many answers from memory, so that other connections have their turn after it.
            if reader.unreadCount > 0 { turnEnd = exchangeCount }
            return respond(response)
        }
        submitRequest(isStreaming: false)
    }

    /// Sends an immediate response. Workers produce bodies that are streams or feeds.
    private func respond(_ response: HTTPResponse) {
        switch response.body {
        case .stream, .feed:
            guard let exchange, response.hasBody(exchange.request.method) else { return beginResponse(response) }
            submitRequest(isStreaming: false, response)
        case .none, .bytes: beginResponse(response)
        }
    }

    /// Submits the request to the workers, or the body of an immediate response.
    private func submitRequest(isStreaming: Bool, _ response: HTTPResponse? = nil) {
        guard let exchange else { return }
        guard let permit = loop.server.requestLimiter.acquire(since: loop.now) else {
            return overload("requestsInFlight")
        }
        let requestJob = RequestJob(
            id: ExchangeID(connection: id, number: exchange.number),
            request: exchange.request,
            share: exchange.share,
            server: loop.server,
            mailbox: loop.mailbox,
            isStreaming: isStreaming,
            client: peer.key,
            // A request that has been answered needs no lane.
            lane: response == nil ? application.lane(of: exchange.request) : nil,
            mayBlock: response == nil && application.mayBlock(exchange.request),
            permit: permit
        )
        exchange.answer = .awaited
        exchange.permit = permit
        if let response {
            if !requestJob.submit(response) { overload("queuedStreams") }
        } else if !requestJob.submit() {
            overload(isStreaming ? "queuedStreams" : "queuedRequests")
        }
    }

    private func overload(_ limit: String) {
        beginResponse(application.refusal(loop.server.overload(limit).of(exchange?.request)))
    }

    /// Continues reading the body, since its pipe has space again.
    func bodyHasSpace(_ number: Int) {
        guard exchange?.number == number, exchange?.isReceiving == true else { return }
        exchange?.isFull = false
        update()
    }

    /// The refusal with the name that the limit has in the settings.
    private func naming(_ refusal: HTTPRefusal) -> HTTPRefusal {
        guard refusal.limit == "body", case .streaming = exchange?.intake else { return refusal }
        var refusal = refusal
        refusal.limit = "streamedBody"
        return refusal
    }
}
