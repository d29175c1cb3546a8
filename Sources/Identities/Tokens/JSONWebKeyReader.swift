// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import SourceText

/// Reads JSON Web Keys and sets of them (RFC 7517, 7518, 8037). In a set, keys of other kinds and for other purposes are
/// left out.
struct JSONWebKeyReader {
    /// Whether keys of the kind `oct` are read.
    let allowsSecrets: Bool

    private static let limits = JSONLimits(depth: 16, bytes: 1 << 20, values: 20_000)
    private static let maximumCount = 100

    /// Why a key of a set is left out, or a single key is an error.
    private struct Unusable: Error {
        let reason: String
    }

    func keys(in bytes: [UInt8]) throws(IdentityError) -> [TokenKey] {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: Self.limits)
        } catch {
            throw IdentityError(
                .invalidFile,
                error.message,
                hint: "Keys are in PEM form, or a JSON Web Key, or a set of these.",
                place: "\(error.position)"
            )
        }
        guard let object = value.object else { throw invalid("A JSON Web Key must be an object.", value) }
        guard let member = object["keys"] else {
            do throws(Unusable) {
                return [try key(object)]
            } catch {
                throw invalid("The JSON Web Key can't be used: \(error.reason).", value)
            }
        }
        guard let list = member.array, list.count <= Self.maximumCount else {
            throw invalid("“keys” must be a list of up to \(Self.maximumCount) keys.", member)
        }
        var keys: [TokenKey] = []
        var reason = "it is empty"
        for element in list {
            guard let object = element.object else { throw invalid("A JSON Web Key must be an object.", element) }
            do throws(Unusable) { keys.append(try key(object)) } catch { reason = error.reason }
        }
        guard !keys.isEmpty else { throw invalid("No key of the set can be used: \(reason).", member) }
        return keys
    }

    private func key(_ object: JSONObject) throws(Unusable) -> TokenKey {
        if let use = object["use"], use.string != "sig" { throw Unusable(reason: "its “use” isn't sig") }
        if let operations = object["key_ops"], !(operations.array?.contains { $0.string == "verify" } ?? false) {
            throw Unusable(reason: "its “key_ops” don't have verify")
        }
        let id = object["kid"]?.string
        guard id != nil || object["kid"] == nil else { throw Unusable(reason: "its “kid” isn't a text") }
        let key: VerificationKey
        do {
            key = try verificationKey(object)
        } catch let error as CryptographyError {
            throw Unusable(reason: String(error.message.prefix { $0 != "." }))
        } catch let error as Unusable {
            throw error
        } catch {
            throw Unusable(reason: "it can't be read")
        }
        if let algorithm = object["alg"], algorithm.string != key.algorithm.rawValue {
            throw Unusable(reason: "its “alg” isn't \(key.algorithm.rawValue)")
        }
        return TokenKey(key, id: id)
    }

    private func verificationKey(_ object: JSONObject) throws -> VerificationKey {
        func bytes(_ name: String) throws(Unusable) -> [UInt8] {
            guard let bytes = object[name]?.string.flatMap({ Base64.decode($0) }) else {
                throw Unusable(reason: "its “\(name)” isn't Base 64 for URLs")
            }
            return bytes
        }
        switch (object["kty"]?.string, object["crv"]?.string) {
        case ("RSA", _): return try VerificationKey(rsaModulus: bytes("n"), exponent: bytes("e"))
        case ("EC", "P-256"): return try VerificationKey(p256X: bytes("x"), y: bytes("y"))
        case ("OKP", "Ed25519"): return try VerificationKey(ed25519: bytes("x"))
        case ("oct", _) where allowsSecrets: return try VerificationKey(secret: bytes("k"))
        case ("oct", _): throw Unusable(reason: "it is a secret, which isn't accepted from others")
        default: throw Unusable(reason: "it is neither of RSA, nor of P-256, nor of Ed25519")
        }
    }

    private func invalid(_ message: String, _ value: JSONValue) -> IdentityError {
        IdentityError(.invalidFile, message, place: value.position.map { "\($0)" })
    }
}
