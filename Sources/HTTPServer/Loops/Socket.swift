// SPDX-License-Identifier: Apache-2.0

// A connection as the system has it.

import CLibevent
import Glibc

/// A connected socket that never waits, closed with its owner.
///
/// Safe to use: pointers into arrays last for one call and stay within their counts; nothing is sent by way of a signal.
@safe
final class Socket: Sendable {
    enum Reading: Equatable {
        case bytes(Int)
        /// There is nothing at the moment.
        case later
        /// The other side sends nothing more.
        case end
        /// The connection is gone.
        case failed
    }

    let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func read(into buffer: inout [UInt8]) -> Reading {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return Self.isTransient(errno) ? .later : .failed
    }

    /// How many bytes from an offset on were taken, which may be none; nil where the connection is gone.
    func write(_ bytes: [UInt8], from offset: Int, isMoreComing: Bool) -> Int? {
        let flags = CInt(MSG_NOSIGNAL) | (isMoreComing ? CInt(MSG_MORE) : 0)
        let count = unsafe bytes.withUnsafeBytes {
            let rest = unsafe $0[offset...]
            return unsafe send(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, flags)
        }
        if count >= 0 { return count }
        return Self.isTransient(errno) ? 0 : nil
    }

    /// How many bytes the system has taken that the other side has not acknowledged yet.
    var queuedCount: Int {
        var count: CInt = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Tells the other side that nothing more comes.
    func endWriting() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Has the connection end by a reset, so that nobody takes what was sent for the whole.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Whether nothing can be sent any more, which is found out without reading.
    var isGone: Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        guard unsafe poll(&entry, 1, 0) > 0 else { return false }
        return CInt(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
    }

    /// Whether the other side sends nothing more, or is gone, though there may be bytes yet to be read.
    var hasEnded: Bool {
        var entry = pollfd(fd: descriptor, events: outcrop_poll_other_side_ended, revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    private static func isTransient(_ number: CInt) -> Bool {
        number == EAGAIN || number == EWOULDBLOCK || number == EINTR
    }
}
