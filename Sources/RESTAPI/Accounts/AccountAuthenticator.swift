// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage
import Identities

/// Accepts the access tokens of accounts, and leaves other credentials to another authenticator.
package struct AccountAuthenticator: Authenticator {
    private let accounts: Accounts
    private let other: any Authenticator

    package init(_ accounts: Accounts, otherwise other: any Authenticator) {
        self.accounts = accounts
        self.other = other
    }

    /// The identity has no roles yet. Those of its account are read from the store when the request is answered.
    package func identity(of request: HTTPRequest) throws(InvalidCredential) -> Identity? {
        do throws(CredentialRefusal) {
            if let (session, name) = try accounts.session(of: request.fields) {
                return Identity(name: name, roles: [], account: session.account)
            }
        } catch {
            throw InvalidCredential(error.message)
        }
        return try other.identity(of: request)
    }
}
