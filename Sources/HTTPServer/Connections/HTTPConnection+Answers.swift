// SPDX-License-Identifier: Apache-2.0

// Responses of a connection.

import HTTPMessage

extension HTTPConnection {
    /// Handles a worker's response.
    func workerDidRespond(to number: Int, with response: HTTPResponse, pipe: OutputPipe?, queued: Duration) {
        guard exchange?.number == number, exchange?.isUnanswered == true else {
            pipe?.close()
            return
        }
        exchange?.queued = queued
        beginResponse(response, pipe)
        update()
    }

    /// Handles new bytes in a response's pipe.
    func outputIsAvailable(_ number: Int) {
        guard exchange?.number == number, case .sending = exchange?.answer else { return }
        update()
    }

    func beginResponse(_ response: HTTPResponse, _ pipe: OutputPipe? = nil) {
        guard let exchange else { return }
        // Requests that were read before the end of input are still answered.
        var response = response
        if let policy = loop.server.transportSecurityPolicy, transport.session != nil {
            response.fields["Strict-Transport-Security"] = policy
        }
        let isLast = loop.server.isDraining || hasInputEnded && reader.unreadCount == 0
        if isLast || !exchange.canSkipBody(loop.limits.unwantedBody) { exchange.keepsAlive = false }
        exchange.status = response.status
        exchange.requestID = response.fields[.requestID]
        output.borrowStorage(from: &loop.spare)
        let framing = response.framing(exchange.request.method, minorVersion: exchange.minorVersion)
        if framing == .untilClose { exchange.keepsAlive = false }
        let date = loop.date()
        output.append { output in
            response.writeHead(
                into: &output,
                framing: framing,
                isKeepAlive: exchange.keepsAlive,
                minorVersion: exchange.minorVersion,
                date: date
            )
        }
        if case .bytes(let bytes) = response.body, response.hasBody(exchange.request.method) {
            output.append(bytes)
            exchange.sent = bytes.count
        }
        if case .feed = response.body { exchange.isFeed = true }
        exchange.isChunked = framing == .chunked
        exchange.answer = pipe.map { .sending($0) } ?? .complete
        exchange.forgetRequest()
        if loop.server.isDraining { endFeed() }
        endIfComplete()
    }

    /// Moves bytes from the response's pipe to the output, up to its limit.
    private func pump() {
        guard let exchange, case .sending(let pipe) = exchange.answer,
            output.count < loop.limits.outputBuffer || pipe.isFailed
        else { return }
        let contents = pipe.drain()
        if contents.count > 0 {
            output.borrowStorage(from: &loop.spare)
            if exchange.isChunked { output.append(HTTPChunk.start(count: contents.count)) }
            for piece in contents.pieces { output.append(piece) }
            if exchange.isChunked { output.append(HTTPChunk.end) }
            exchange.sent += contents.count
        }
        if contents.isFailed { return abort() }
        if contents.isEnded { endAnswer() }
    }

    private func endAnswer() {
        if exchange?.isChunked == true { output.append(HTTPChunk.last) }
        exchange?.answer = .complete
        endIfComplete()
    }

    /// Ends a feed, which would otherwise keep a draining server running.
    func endFeed() {
        guard let exchange, exchange.isFeed, case .sending(let pipe) = exchange.answer else { return }
        pipe.close()
        exchange.request.cancellation.cancel()
        exchange.keepsAlive = false
        endAnswer()
    }

    /// Ends the exchange if request and response are complete.
    func endIfComplete() {
        guard let exchange, exchange.isAnswered else { return }
        if exchange.isReceiving {
            guard exchange.keepsAlive else { return finish() }
            if case .streaming(let pipe) = exchange.intake { pipe.fail(HTTPConnectionError.clientGone) }
            if case .discarding = exchange.intake { return }
            exchange.intake = .discarding(loop.limits.unwantedBody)
            exchange.isFull = false
            reader.bodyLimit = .max
            return
        }
        guard exchange.keepsAlive else { return finish() }
        self.exchange = nil
        unsent.append(UnsentExchange(end: output.added, exchange: exchange))
        idleSince = loop.now
        requestStart = loop.now
    }

    /// Responds to an unreadable or untimely request, and ends the connection.
    func refuse(_ refusal: HTTPRefusal) {
        guard exchange?.isUnanswered ?? true else { return exchange?.isAnswered == true ? finish() : abort() }
        if let exchange {
            exchange.request.cancellation.cancel()
            if case .streaming(let pipe) = exchange.intake { pipe.fail(refusal) }
            // Messages of its worker are ignored from now on.
            exchange.answer = .none
        } else {
            exchangeCount += 1
            exchange = Exchange(unreadFrom: peer.client, number: exchangeCount, started: requestStart)
        }
        exchange?.keepsAlive = false
        beginResponse(application.refusal(refusal.of(exchange?.request)))
    }

    /// Closes the connection after the output is sent.
    func finish() {
        guard phase == .open else { return }
        phase = .finishing
        receiving.close()
        guard let exchange else { return }
        if case .streaming(let pipe) = exchange.intake { pipe.fail(HTTPConnectionError.clientGone) }
        self.exchange = nil
        unsent.append(UnsentExchange(end: output.added, exchange: exchange))
    }

    /// Closes the connection immediately.
    ///
    /// - Parameter isTooSlow: Whether the reason is that the client receives too slowly.
    func abort(isTooSlow: Bool = false) {
        guard phase != .closed else { return }
        if let exchange {
            // Cancelled before the body fails, so that its reader can determine the reason.
            exchange.request.cancellation.cancel()
            if case .streaming(let pipe) = exchange.intake { pipe.fail(HTTPConnectionError.clientGone) }
            self.exchange = nil
            if !exchange.isUnanswered { peer.socket.reset() }
            application.didSend(exchange.record(end: loop.now, isAborted: true, isTooSlow: isTooSlow))
        }
        for entry in unsent {
            application.didSend(entry.exchange.record(end: loop.now, isAborted: true, isTooSlow: isTooSlow))
        }
        unsent = []
        close()
    }

    /// Sends as much as possible without blocking.
    func send() {
        guard phase != .closed else { return }
        repeat {
            pump()
            guard phase != .closed, !output.isEmpty else { break }
            let before = output.sent
            guard output.send(over: transport) else { return abort() }
            sending.add(output.sent - before)
        } while output.isEmpty && isPumping
        if !unsent.isEmpty { reportSentResponses() }
        guard output.isEmpty else { return }
        output.exchangeStorage(with: &loop.spare)
        if phase == .finishing { linger() }
    }

    private var isPumping: Bool {
        if case .sending(let pipe) = exchange?.answer { return pipe.hasContents }
        return false
    }

    /// Reports the responses that have been sent completely.
    private func reportSentResponses() {
        let now = Moment.now
        var count = 0
        while count < unsent.count, unsent[count].end <= output.sent {
            application.didSend(unsent[count].exchange.record(end: now, isAborted: false))
            count += 1
        }
        if count == unsent.count {
            unsent.removeAll(keepingCapacity: true)
        } else {
            unsent.removeFirst(count)
        }
    }

    /// Lets the client read the last response, which a reset during its sending would discard.
    private func linger() {
        transport.endWriting()
        guard !hasInputEnded else { return close() }
        phase = .lingering
        idleSince = .now
    }
}

extension HTTPRefusal {
    /// The refusal with the details of the request that were read.
    func of(_ request: HTTPRequest?) -> HTTPRefusal {
        var refusal = self
        refusal.requestID = requestID ?? request?.fields[.requestID]
        refusal.origin = origin ?? request?.fields[.origin]
        return refusal
    }
}
