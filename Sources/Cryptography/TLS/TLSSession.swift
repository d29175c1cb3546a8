// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// TLS on a connected socket. If the socket doesn't block, neither do the calls.
//
// 1. A session is used by one thread at a time.
// 2. Unless `hasInput`, OpenSSL has no complete record that it hasn't decrypted, so that the socket is readable if there is
//    more.
// 3. After a failure nothing else is sent.
//
// Unchecked because of 1. Safe to use: it owns the session, and pointers into arrays are used within one call.
@safe
package final class TLSSession: @unchecked Sendable {
    package enum Step: Sendable, Equatable {
        case done
        /// The socket must become readable.
        case needsInput
        /// The socket must become writable.
        case needsOutput
        case failed(String)
    }

    package enum Reading: Sendable, Equatable {
        case bytes(Int)
        /// No bytes are available.
        case blocked
        /// The peer has ended its output.
        case end
        case failed
    }

    /// The first byte of each handshake.
    package static let firstByte: UInt8 = 0x16

    /// Records per call, so that a peer that sends many small ones doesn't keep a thread.
    private static let recordsPerCall = 64
    /// Bytes per call, for the same reason: encrypting takes longer than copying.
    private static let bytesPerCall = 256 << 10
    /// Bytes that a call may receive, since messages without data end no call. The socket stays readable if there are more.
    private static let receivedPerCall = 32 << 10

    /// Whether there may be input although the socket isn't readable.
    package private(set) var hasInput = false

    private let session: OpaquePointer
    private let descriptor: CInt
    private let context: TLSContext
    private var hasFailed = false

    /// Describes how OpenSSL uses sockets; created once and never freed.
    private static let method = unsafe SocketMethod(pointer: outcrop_socket_method())

    /// Unchecked, since it isn't changed after its creation. Safe to use: it is never freed.
    @safe
    private struct SocketMethod: @unchecked Sendable {
        let pointer: OpaquePointer?
    }

    init?(_ context: TLSContext, on descriptor: CInt, isServer: Bool) {
        defer { ERR_clear_error() }
        guard let session = unsafe SSL_new(context.pointer) else { return nil }
        guard let bio = unsafe BIO_new(Self.method.pointer) else {
            unsafe SSL_free(session)
            return nil
        }
        unsafe outcrop_socket_set(bio, descriptor, 0)
        unsafe SSL_set_bio(session, bio, bio)
        if isServer { unsafe SSL_set_accept_state(session) } else { unsafe SSL_set_connect_state(session) }
        unsafe self.session = session
        self.descriptor = descriptor
        self.context = context
    }

    deinit { unsafe SSL_free(session) }

    /// Requires the server's certificate to be for a host.
    func expect(_ host: String) -> Bool {
        defer { ERR_clear_error() }
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1 { return true }
        return unsafe SSL_set1_host(session, host) == 1 && outcrop_tls_set_host(session, host) == 1
    }

    /// Continues the handshake.
    package func handshake() -> Step {
        unsafe outcrop_socket_allow(SSL_get_rbio(session), Self.receivedPerCall)
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(session)
        if result == 1 {
            // Requests may have arrived with the last message.
            hasInput = true
            return .done
        }
        switch unsafe SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return .needsInput
        case SSL_ERROR_WANT_WRITE: return .needsOutput
        default: return .failed(fail())
        }
    }

    package func read(into buffer: inout [UInt8]) -> Reading {
        hasInput = false
        guard !hasFailed else { return .failed }
        unsafe outcrop_socket_allow(SSL_get_rbio(session), Self.receivedPerCall)
        var total = 0
        for _ in 0..<Self.recordsPerCall where total < buffer.count {
            ERR_clear_error()
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe SSL_read(
                    session,
                    bytes.baseAddress.map { unsafe $0 + total },
                    CInt(clamping: bytes.count - total)
                )
            }
            if count > 0 {
                total += Int(count)
                // Spares asking the socket, which becomes readable if there is more.
                if unsafe SSL_has_pending(session) == 0 { return .bytes(total) }
                continue
            }
            let error = unsafe SSL_get_error(session, count)
            if error == SSL_ERROR_WANT_READ { return total > 0 ? .bytes(total) : .blocked }
            // Reported again by the next call, after the bytes.
            if total > 0 {
                hasInput = true
                return .bytes(total)
            }
            if error == SSL_ERROR_ZERO_RETURN { return .end }
            _ = fail()
            return .failed
        }
        hasInput = true
        return .bytes(total)
    }

    /// The number of bytes accepted, which may be zero, or nil if the session is broken. Bytes that weren't accepted must be
    /// the first ones of the next call.
    package func write(_ bytes: [UInt8], from offset: Int, isMoreComing: Bool) -> Int? {
        guard !hasFailed else { return nil }
        let end = min(bytes.count, offset + Self.bytesPerCall)
        var start = offset
        while start < end {
            unsafe outcrop_socket_set(SSL_get_wbio(session), descriptor, isMoreComing || end < bytes.count ? 1 : 0)
            ERR_clear_error()
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe SSL_write(session, bytes.baseAddress.map { unsafe $0 + start }, CInt(clamping: end - start))
            }
            guard count <= 0 else {
                start += Int(count)
                continue
            }
            guard unsafe SSL_get_error(session, count) == SSL_ERROR_WANT_WRITE else {
                _ = fail()
                return nil
            }
            break
        }
        return start - offset
    }

    /// Tells the peer that nothing else is sent. The socket stays open.
    package func endWriting() {
        guard !hasFailed else { return }
        unsafe outcrop_socket_set(SSL_get_wbio(session), descriptor, 0)
        ERR_clear_error()
        unsafe SSL_shutdown(session)
        ERR_clear_error()
    }

    /// The subject of the peer's certificate, if it has shown one that is valid.
    package var peerSubject: String? {
        guard unsafe SSL_get_verify_result(session) == CLong(X509_V_OK),
            let certificate = unsafe SSL_get0_peer_certificate(session)
        else { return nil }
        return unsafe TLSCertificate.subject(of: certificate)
    }

    /// The version of the protocol, such as `TLSv1.3`.
    package var version: String { unsafe String(cString: SSL_get_version(session)) }

    package var isResumed: Bool { unsafe SSL_session_reused(session) == 1 }

    /// Records a failure, and returns its reason.
    private func fail() -> String {
        hasFailed = true
        defer { ERR_clear_error() }
        let verification = unsafe SSL_get_verify_result(session)
        if verification != CLong(X509_V_OK) {
            return unsafe String(cString: X509_verify_cert_error_string(verification))
        }
        guard let reason = unsafe ERR_reason_error_string(ERR_peek_error()) else { return "the connection was closed" }
        return unsafe String(cString: reason)
    }
}
