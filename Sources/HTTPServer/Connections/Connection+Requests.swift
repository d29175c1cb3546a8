// SPDX-License-Identifier: Apache-2.0

// What a connection does with what it reads.

import HTTPMessage

extension Connection {
    /// So many requests are begun before others have their turn.
    private static let longestTurn = 32

    /// Goes on reading requests and sending answers until there is nothing to do at the moment, or it is others' turn.
    func advance() {
        guard !isPausing else { return send() }
        var needsMore = false
        turnEnd = exchangeCount + Self.longestTurn
        repeat {
            while phase == .open, mayRead, !needsMore { needsMore = readNext() }
            send()
        } while phase == .open && mayRead && !needsMore
        guard phase == .open, exchange == nil, exchangeCount >= turnEnd, !needsMore else { return }
        isPausing = true
        loop.mailbox.post(.goOn(connection: id))
    }

    /// It is its turn again.
    func goOn() {
        isPausing = false
        update()
    }

    private var mayRead: Bool {
        guard let exchange else { return hasRoom && exchangeCount < turnEnd }
        return exchange.isReceiving && !exchange.isFull
    }

    /// Handles one thing that was read; true where there is none.
    private func readNext() -> Bool {
        do throws(HTTPRefusal) {
            switch try reader.next() {
            case .needMore:
                if isInputOver { endOfInput() }
                return true
            case .head(let head): begin(head)
            case .body(let bytes): take(bytes)
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
        let exchange = Exchange(head, number: exchangeCount, peer: peer, started: requestStart)
        if loop.server.isDraining || exchangeCount >= loop.limits.requestsPerConnection { exchange.keepsAlive = false }
        self.exchange = exchange
        switch head.framing {
        case .none, .length(0): break
        case .length, .chunked: receive(head, exchange.request)
        }
    }

    private func receive(_ head: HTTPRequestHead, _ request: HTTPRequest) {
        switch loop.application.reception(of: request) {
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
            // Nothing of it is read until it is answered.
            exchange?.isFull = true
            return respond(response)
        }
        let share = MemoryShare(of: loop.server.bodies)
        exchange?.share = share
        exchange?.request.memory = HTTPMemory { share.take($0) }
        // The reader refuses a body that is too long before any of it is sent.
        if case .length(let length) = head.framing, length > reader.bodyLimit { return }
        allowBody()
    }

    /// Tells a client that waits for it that the body is wanted; one that has begun to send doesn't wait.
    private func allowBody() {
        guard exchange?.awaitsContinue == true else { return }
        exchange?.awaitsContinue = false
        if reader.unreadCount == 0 { sendContinue() }
    }

    func sendContinue() { output.append(HTTPResponse.interimContinue) }

    private func take(_ bytes: [UInt8]) {
        guard let exchange else { return }
        exchange.received += bytes.count
        exchange.awaitsContinue = false
        if case .none = exchange.answer, exchange.share?.take(bytes.count) == false {
            return refuse(loop.server.overload("bodiesInMemory"))
        }
        switch exchange.intake {
        case .collecting: exchange.collected += bytes
        case .streaming(let pipe):
            exchange.isFull = !pipe.give(bytes)
            if exchange.isFull { receiving.close() }
            // No worker waits for the first bytes of a client that sends nothing but a trickle.
            if case .none = exchange.answer, exchange.received >= loop.limits.inputBuffer / 4 {
                handOver(isStreaming: true)
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
        case .collecting: ask()
        case .streaming(let pipe):
            pipe.end()
            if case .none = exchange.answer { handOver(isStreaming: true) }
            conclude()
        case .discarding, .complete: conclude()
        }
    }

    /// Has a complete request answered.
    private func ask() {
        guard let exchange else { return }
        if !exchange.collected.isEmpty { exchange.request.body = .bytes(exchange.collected) }
        guard let response = loop.application.respondAtOnce(to: exchange.request) else {
            return handOver(isStreaming: false)
        }
        respond(response)
    }

    /// Answers with what was found at once; bodies that are written are made by workers.
    private func respond(_ response: HTTPResponse) {
        switch response.body {
        case .stream, .feed:
            guard let exchange, response.hasBody(exchange.request.method) else { return answer(response) }
            handOver(isStreaming: false, response)
        case .none, .bytes: answer(response)
        }
    }

    /// Has workers answer, or make the body of an answer.
    private func handOver(isStreaming: Bool, _ response: HTTPResponse? = nil) {
        guard let exchange else { return }
        guard let place = loop.server.flights.place(since: loop.now) else { return overload("requestsInFlight") }
        let errand = Errand(
            id: ExchangeID(connection: id, number: exchange.number),
            request: exchange.request,
            share: exchange.share,
            server: loop.server,
            mailbox: loop.mailbox,
            isStreaming: isStreaming,
            client: peer.key,
            // What is answered already needs none.
            lane: response == nil ? loop.application.lane(of: exchange.request) : nil,
            mayBlock: response == nil && loop.application.mayBlock(exchange.request),
            place: place
        )
        (exchange.answer, exchange.place) = (.awaited, place)
        if let response {
            if !errand.submit(response) { overload("queuedStreams") }
        } else if !errand.submit() {
            overload(isStreaming ? "queuedStreams" : "queuedRequests")
        }
    }

    private func overload(_ limit: String) {
        answer(loop.application.refusal(loop.server.overload(limit).of(exchange?.request)))
    }

    /// There is room for more of the body.
    func bodyIsWanted(_ number: Int) {
        guard exchange?.number == number, exchange?.isReceiving == true else { return }
        exchange?.isFull = false
        update()
    }

    /// A refusal with the name that a limit has in a server's settings.
    private func naming(_ refusal: HTTPRefusal) -> HTTPRefusal {
        guard refusal.limit == "body", case .streaming = exchange?.intake else { return refusal }
        var refusal = refusal
        refusal.limit = "streamedBody"
        return refusal
    }
}
