// SPDX-License-Identifier: Apache-2.0

// Deadlines of a connection.

import HTTPMessage

extension HTTPConnection {
    /// The time of the next check.
    func nextDeadline() -> Moment {
        let times = loop.times
        switch phase {
        case .closed: return .never
        case .lingering: return idleSince + times.lingering
        case .finishing: return sending.end
        case .open: break
        }
        guard let exchange else { return min(sending.end, idleDeadline) }
        let end = min(sending.end, waitingEnd(exchange))
        if exchange.isReceiving, !exchange.isFull, !exchange.awaitsContinue, !hasInputEnded {
            receiving.open(at: loop.now, length: times.rateWindow)
            return min(end, receiving.end)
        }
        let mayBeGone = hasInputEnded || exchange.isFull || reader.unreadCount >= loop.limits.pipelinedBytes
        return min(end, mayBeGone ? loop.now + times.tick : .never)
    }

    /// The deadline for receiving a request or for its start by a worker. A started request may have to wait again.
    private func waitingEnd(_ exchange: Exchange) -> Moment {
        switch exchange.answer {
        case .none: exchange.started + loop.times.body
        case .awaited: (exchange.permit?.waitingSince ?? loop.now) + loop.times.queue
        case .sending, .complete: .never
        }
    }

    private var idleDeadline: Moment {
        guard reader.isBetweenRequests else { return requestStart + loop.times.head }
        if loop.server.isDraining { return idleSince + loop.times.farewell }
        return idleSince + (exchangeCount == 0 ? loop.times.firstByte : loop.times.idle)
    }

    /// Handles a passed deadline.
    func deadlineHasPassed() {
        if loop.now >= sending.end { countDelivered() }
        if sending.isTooSlow(at: loop.now, length: loop.times.rateWindow, rate: loop.limits.sendingRate) {
            return abort(isTooSlow: true)
        }
        switch phase {
        case .closed: return
        case .lingering: return close()
        case .finishing: return update()
        case .open: break
        }
        if let exchange {
            if let refusal = timeoutRefusal(exchange) { refuse(refusal) } else { checkClient() }
        } else if idleDeadline <= loop.now {
            idleTimeHasPassed()
        }
        update()
    }

    /// The system accepts bytes in large batches, so count what it has delivered to a slow client in between.
    private func countDelivered() {
        let queued = peer.socket.queuedCount
        sending.add(max(0, queuedBefore - queued))
        queuedBefore = queued
    }

    /// The reason why a request has timed out, or nil.
    private func timeoutRefusal(_ exchange: Exchange) -> HTTPRefusal? {
        let times = loop.times
        if receiving.isTooSlow(at: loop.now, length: times.rateWindow, rate: loop.limits.receivingRate) {
            return .tooSlow("The body arrives too slowly.", limit: "receivingRate")
        }
        guard waitingEnd(exchange) <= loop.now else { return nil }
        switch exchange.answer {
        case .none: return .tooSlow("The body took too long to arrive.", limit: "bodyTime")
        case .awaited: return exchange.permit?.stopWaiting() == nil ? nil : loop.server.overload("queueTime")
        case .sending, .complete: return nil
        }
    }

    private func idleTimeHasPassed() {
        guard reader.isBetweenRequests else {
            return refuse(.tooSlow("The request's head took too long to arrive.", limit: "head"))
        }
        guard output.isEmpty else { return }
        // Input that has just arrived is answered.
        readInput()
        guard phase == .open, exchange == nil, reader.isBetweenRequests, output.isEmpty else { return }
        transport.endWriting()
        close()
    }

    /// Detects that a client has disconnected while nothing is read from it.
    private func checkClient() {
        guard let exchange else { return }
        if peer.socket.isGone { return abort() }
        guard hasInputEnded || peer.socket.hasEnded else { return }
        if exchange.isFeed { return abort() }
        guard !isProbed, exchange.isUnanswered, exchange.minorVersion > 0, peer.isRemote else { return }
        isProbed = true
        sendContinue()
    }

    /// Closes the connection, or makes it close after its response.
    func drain() {
        guard phase == .open else { return }
        endFeed()
        update()
        if deadline <= loop.now { deadlineHasPassed() }
    }
}

extension HTTPRefusal {
    fileprivate static func tooSlow(_ message: String, limit: String) -> HTTPRefusal {
        HTTPRefusal(.requestTimeout, message, limit: limit)
    }
}
