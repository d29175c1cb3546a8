// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// A signature on P-256: two numbers, which tokens write one after the other, and the library in DER.
///
/// Safe to use: it owns the numbers, and pointers into arrays are used within one call.
@safe
final class ECDSASignature {
    private static let numberCount = 32

    private let pointer: OpaquePointer

    init?(bytes: [UInt8]) {
        guard bytes.count == 2 * Self.numberCount, let pointer = unsafe ECDSA_SIG_new() else { return nil }
        unsafe self.pointer = pointer
        let r = unsafe BN_bin2bn(bytes, CInt(Self.numberCount), nil)
        let s = unsafe BN_bin2bn(Array(bytes[Self.numberCount...]), CInt(Self.numberCount), nil)
        guard unsafe ECDSA_SIG_set0(pointer, r, s) == 1 else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            return nil
        }
    }

    init?(encoded: [UInt8]) {
        let pointer = unsafe encoded.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe ECDSA_SIG_free(pointer) }

    var bytes: [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.numberCount)
        guard unsafe BN_bn2binpad(ECDSA_SIG_get0_r(pointer), &bytes, CInt(bytes.count)) == bytes.count else {
            return nil
        }
        let r = bytes
        guard unsafe BN_bn2binpad(ECDSA_SIG_get0_s(pointer), &bytes, CInt(bytes.count)) == bytes.count else {
            return nil
        }
        return r + bytes
    }

    var encoded: [UInt8]? {
        let count = unsafe i2d_ECDSA_SIG(pointer, nil)
        guard count > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe i2d_ECDSA_SIG(pointer, &start) == count
        } ? bytes : nil
    }
}
