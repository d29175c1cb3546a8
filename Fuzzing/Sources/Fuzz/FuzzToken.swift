// SPDX-License-Identifier: Apache-2.0

// Credentials that clients send, and keys that issuers publish: the first line is a token or the value of `Authorization`, the rest a
// document of keys. A token is accepted only as its signer wrote it, and signed claims come back as they were.

import Cryptography
import FoundationEssentials
import Identities
import JSON

func fuzzToken(_ bytes: [UInt8]) -> CInt {
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    let document = Array(bytes[end...].dropFirst())
    fuzzCredential(text)
    let keys = fuzzKeys(document)
    if let claims = accepted(text, keys) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        precondition(parts.count == 3 && claims["exp"] != nil, "Something else than a token is accepted.")
        precondition(accepted(parts[0] + "." + parts[1] + ".", keys) == nil, "No signature is accepted.")
        precondition(accepted(parts[0] + "." + parts[1] + "A." + parts[2], keys) == nil, "Other claims are accepted.")
        precondition(accepted(text, []) == nil, "A token is accepted without a key.")
    }
    if let claims = (try? JSONValue(parsing: document))?.object { fuzzClaims(claims) }
    return 0
}

/// The moment at which tokens are verified, in 2024.
private let now = Date(timeIntervalSince1970: 1_700_000_000)

private let secret = Array("the secret of the fuzz target's tokens".utf8)

/// The claims of a token if it is accepted.
private func accepted(_ text: String, _ keys: [TokenKey]) -> JSONObject? {
    let settings = TokenSettings(algorithms: [.hs256, .rs256, .es256, .edDSA])
    do {
        return try TokenVerifier(settings, keys: keys).claims(of: text, now: now)
    } catch {
        precondition(!error.message.isEmpty)
        return nil
    }
}

private func fuzzCredential(_ text: String) {
    guard let credential = try? Credential(text) else { return }
    precondition(!credential.token.isEmpty, "A credential is empty.")
    guard credential.name == nil else { return }
    let again = try? Credential("Bearer \(credential.token)")
    precondition(again == credential, "\(credential.token) is another credential.")
}

/// The keys of a document, besides one that signs the seeds.
private func fuzzKeys(_ document: [UInt8]) -> [TokenKey] {
    guard let key = try? VerificationKey(secret: secret) else { fatalError("The secret isn't a key.") }
    var keys = [TokenKey(key)]
    do {
        let read = try TokenKey.keys(in: document, allowingSecrets: true)
        precondition(!read.isEmpty, "A document of keys has none.")
        let published = (try? TokenKey.keys(in: document, allowingSecrets: false)) ?? []
        precondition(published.allSatisfy { $0.algorithm != .hs256 }, "A secret is accepted from others.")
        keys += read
    } catch {
        precondition(!error.message.isEmpty)
    }
    return keys
}

private func fuzzClaims(_ claims: JSONObject) {
    var claims = claims
    for name in ["nbf", "iat"] { claims[name] = nil }
    claims["exp"] = .integer(Int(now.timeIntervalSince1970) + 60)
    guard let key = try? SigningKey(secret: secret) else { fatalError("The secret isn't a key.") }
    let signer = TokenSigner(key, id: "own")
    guard let token = try? signer.token(claims) else { fatalError("Claims can't be signed.") }
    precondition(signer.isNamed(by: token) || token.utf8.count > 8 << 10, "A token doesn't name its key.")
    guard let read = accepted(token, [signer.verificationKey]) else {
        // Of many values, or of values within values. Tokens are bounded.
        precondition(isLarge(.object(claims), depth: 15) || token.utf8.count > 8 << 10, "An own token is refused.")
        return
    }
    precondition(read == claims, "Claims are read as other ones.")
}

private func isLarge(_ value: JSONValue, depth: Int) -> Bool {
    func count(_ value: JSONValue) -> Int {
        1 + ((value.object?.members.map(\.value) ?? []) + (value.array ?? [])).reduce(0) { $0 + count($1) }
    }
    func reaches(_ value: JSONValue, _ depth: Int) -> Bool {
        let parts = (value.object?.members.map(\.value) ?? []) + (value.array ?? [])
        return depth == 0 || parts.contains { reaches($0, depth - 1) }
    }
    return count(value) > 1_900 || reaches(value, depth)
}
