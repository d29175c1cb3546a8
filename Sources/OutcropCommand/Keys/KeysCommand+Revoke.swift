// SPDX-License-Identifier: Apache-2.0

// `outcrop keys revoke`

import Arguments
import FoundationEssentials
import Identities
import JSON

extension KeysCommand {
    private static let key = Argument<String>("KEY", "The name or the ID of the key.")

    static let revoke = Command<Action>(
        "revoke",
        "Remove a key.",
        discussion: """
            Servers refuse the key within two seconds. It can't be restored; add another one.
            """,
        examples: [Example("outcrop keys revoke App.sqlite deploy")],
        exitCodes: StoreCommand.exitCodes,
        parameters: [store, key]
    ) { parsed, _ in
        let file = try file(of: parsed[store])
        let revoked: APIKey
        do throws(IdentityError) { revoked = try file.revoke(parsed[key]) } catch { throw Failure(error) }
        return Report(
            text: StyledText("Revoked the key \(revoked.name.map { "“\($0)”" } ?? revoked.id)."),
            json: ["revoked": .object(revoked.outline(now: .now))]
        )
    }
}
