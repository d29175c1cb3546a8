// SPDX-License-Identifier: Apache-2.0

import CLibevent
import Glibc

/// A connected non-blocking socket, closed on release.
///
/// Safe to use: pointers into arrays are used within one call and within bounds, and sending raises no signal.
@safe
final class Socket: Sendable {
    enum Reading: Equatable {
        case bytes(Int)
        /// No bytes are available.
        case wouldBlock
        /// The peer has ended its output.
        case end
        /// The connection is broken.
        case failed
    }

    let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func read(into buffer: inout [UInt8]) -> Reading {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return Self.isTransient(errno) ? .wouldBlock : .failed
    }

    /// The first unread byte, which stays unread, or nil if there is none.
    func firstByte() -> UInt8? {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, CInt(MSG_PEEK)) == 1 ? byte : nil
    }

    /// The number of bytes accepted, which may be zero, or nil if the connection is broken.
    func write(_ bytes: [UInt8], from offset: Int, isMoreComing: Bool) -> Int? {
        let flags = CInt(MSG_NOSIGNAL) | (isMoreComing ? CInt(MSG_MORE) : 0)
        let count = unsafe bytes.withUnsafeBytes {
            let rest = unsafe $0[offset...]
            return unsafe send(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, flags)
        }
        if count >= 0 { return count }
        return Self.isTransient(errno) ? 0 : nil
    }

    /// The number of sent bytes that the peer hasn't acknowledged.
    var queuedCount: Int {
        var count: CInt = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Ends the output.
    func endWriting() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Closes with a reset on release, so that the client doesn't take a truncated response for complete.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Whether the connection is broken, without reading.
    var isGone: Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        guard unsafe poll(&entry, 1, 0) > 0 else { return false }
        return CInt(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
    }

    /// Whether the peer has ended its output or is gone, even if there are unread bytes.
    var hasEnded: Bool {
        var entry = pollfd(fd: descriptor, events: outcrop_poll_other_side_ended, revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    private static func isTransient(_ number: CInt) -> Bool {
        number == EAGAIN || number == EWOULDBLOCK || number == EINTR
    }
}
