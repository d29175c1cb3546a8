// SPDX-License-Identifier: Apache-2.0

extension TokenSigner {
    /// Whether a token names the signer's key, whether or not it is valid.
    package func isNamed(by token: String) -> Bool {
        guard let id, let token = try? SignedToken(token, maximumLength: Self.maximumLength),
            let named = token.keyID
        else { return false }
        return named.utf8.elementsEqual(id.utf8)
    }

    private static let maximumLength = 8 << 10
}
