// SPDX-License-Identifier: Apache-2.0

/// Why a request's credential isn't accepted. The request is answered by 401.
///
/// It is for logs. It contains nothing of the credential.
package struct CredentialRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a refusal, stable across versions, unlike messages.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The field, or the token, isn't well-formed.
        package static let malformed = Code(rawValue: "malformed")
        /// The token is longer than allowed.
        package static let tooLong = Code(rawValue: "tooLong")
        /// There is no such key: neither an API key, nor one that verifies the token.
        package static let unknownKey = Code(rawValue: "unknownKey")
        /// The token's algorithm isn't allowed.
        package static let wrongAlgorithm = Code(rawValue: "wrongAlgorithm")
        /// The token demands an extension.
        package static let unsupported = Code(rawValue: "unsupported")
        package static let badSignature = Code(rawValue: "badSignature")
        package static let expired = Code(rawValue: "expired")
        /// The token is valid, or was issued, in the future.
        package static let notYetValid = Code(rawValue: "notYetValid")
        package static let wrongIssuer = Code(rawValue: "wrongIssuer")
        package static let wrongAudience = Code(rawValue: "wrongAudience")
    }

    package let code: Code
    /// A sentence that reveals nothing secret.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
