// SPDX-License-Identifier: Apache-2.0

// The tokens that a server accepts, as its access file says.

import AccessRules
import Cryptography
import FoundationEssentials
import Identities
import JSON

/// Verifies tokens, and reads the names of roles in them.
struct ServedTokens: Sendable {
    private let verifier: TokenVerifier
    private let keys: KeySet
    private let settings: AcceptedTokens
    /// The path of the keys' file; nil if they are at a URL.
    let file: String?

    /// - Parameters:
    ///   - folder: That of the access file, which the file of keys is relative to.
    ///   - hosts: The hosts from which keys may be fetched.
    ///   - fetch: Gets the document at a URL.
    ///   - report: Called with later mistakes in the keys.
    init(
        _ tokens: AcceptedTokens,
        besides folder: String,
        allowing hosts: [String],
        fetch: @escaping KeySet.Fetch,
        report: @escaping @Sendable (IdentityError) -> Void
    ) throws(IdentityError) {
        settings = tokens
        let algorithms = Set(tokens.algorithms.compactMap(SignatureAlgorithm.init))
        if tokens.keys.contains("://") {
            file = nil
            keys = try KeySet(url: tokens.keys, allowedHosts: hosts, fetch: fetch, report: report)
        } else {
            let path =
                tokens.keys.hasPrefix("/") ? tokens.keys : "\(folder)/\(tokens.keys)"
            file = path
            // A set of keys may have secrets, too.
            let isSecret = algorithms == [.hs256] && !path.hasSuffix(".json")
            keys = try KeySet(file: path, isSecret: isSecret, now: .now, report: report)
            guard keys.knownKeys(id: nil, now: .now).contains(where: { algorithms.contains($0.algorithm) }) else {
                throw IdentityError(
                    .invalidFile,
                    "None of the keys is for \(Wording.alternatives(tokens.algorithms)), so that no token would be accepted.",
                    hint: "Correct “algorithms”.",
                    place: path
                )
            }
        }
        verifier = TokenVerifier(
            TokenSettings(
                algorithms: algorithms,
                issuer: tokens.issuer,
                audiences: tokens.audience.map { [$0] } ?? [],
                leeway: Double(tokens.leeway)
            ),
            keys: KnownKeys(keys: keys)
        )
    }

    /// Whether the keys are at a URL.
    var isRemote: Bool { file == nil }

    /// Changes whenever the keys are replaced.
    var version: Int { keys.version }

    /// Reads the keys if it is time to; those at a URL may take long.
    func refreshIfNeeded(now: Date) { keys.refreshIfNeeded(now: now) }

    /// The claims of a valid token.
    func claims(of token: String, now: Date) throws(CredentialRefusal) -> JSONObject {
        try verifier.claims(of: token, now: now)
    }

    /// The moment from which a token with these claims isn't valid.
    func end(of claims: JSONObject) -> Date {
        Date(timeIntervalSince1970: (claims["exp"]?.double ?? 0) + Double(settings.leeway))
    }

    /// The names of roles in a claim: a text with one, or an array. A dot in the claim's name leads into an object.
    func roles(in claims: JSONObject) -> Set<String> {
        var value = claims[settings.rolesClaim]
        if value == nil {
            let names = settings.rolesClaim.split(separator: ".", omittingEmptySubsequences: false)
            value = names.reduce(JSONValue.object(claims) as JSONValue?) { value, name in value?.object?[String(name)] }
        }
        return Set(value?.string.map { [$0] } ?? value?.array?.compactMap(\.string) ?? [])
    }
}

/// The keys of a set, which another thread reads again.
private struct KnownKeys: TokenKeySource {
    let keys: KeySet

    func keys(id: String?, now: Date) -> [TokenKey] { keys.knownKeys(id: id, now: now) }
}
