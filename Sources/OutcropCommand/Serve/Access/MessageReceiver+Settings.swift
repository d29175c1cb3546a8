// SPDX-License-Identifier: Apache-2.0

// The receiver of messages to accounts, as the access file says.

import AccessRules
import RESTAPI

extension MessageReceiver {
    /// A mistake, with the name of the member that has it.
    struct Mistake: Error {
        let member: String
        let message: String
        let hint: String?
    }

    init(_ messages: MessageSettings, secret reader: HookSecret, _ settings: ServeSettings) throws {
        let url: HookURL
        do throws(HookURL.Failure) {
            url = try HookURL(messages.url)
        } catch {
            throw Mistake(member: "url", message: error.message, hint: error.hint)
        }
        guard settings.hookHosts.contains(where: { $0.allows(url) }) else {
            throw Mistake(
                member: "url",
                message: "Messages may not be sent to \(url.authority).",
                hint: "Allow it: --hook-hosts \(url.authority)"
            )
        }
        let secret: [UInt8]
        do throws(HookSecret.Failure) {
            secret = try reader.bytes(messages.secret)
        } catch {
            throw Mistake(member: "secret", message: error.message, hint: error.hint)
        }
        self.init(url, secret: secret, send: HookClient(tls: try ServedHooks.tls(settings)).send)
    }
}
