// SPDX-License-Identifier: Apache-2.0

// `outcrop keys …`: commands for a store's API keys, one per file.

import Arguments
import Identities

enum KeysCommand {
    static let group = Command<Action>(
        "keys",
        "Add, list and revoke a store's API keys.",
        discussion: """
            A key identifies the program that sends a request: `Authorization: Bearer ock_…`, or Basic with any name and the key
            as the password. The keys of a store are in a file beside it, such as App.sqlite.keys.json, which has hashes and not the
            keys themselves. A server accepts a new key at once, and refuses a revoked one within two seconds.
            """,
        commands: [add, list, revoke]
    )

    static let store = Argument<StoreLocation>("STORE", "The store.", completion: StoreFiles.completion)

    /// The file of a store's keys. Throws if there is no store, since the path is probably mistyped.
    static func file(of location: StoreLocation) throws -> KeyFile {
        _ = try location.existingKind()
        return KeyFile(besides: location.path)
    }
}

extension Failure {
    init(_ error: IdentityError) {
        self.init(error.message, hint: error.hint, code: "keys.\(error.code.rawValue)", file: error.place)
    }
}
