// SPDX-License-Identifier: Apache-2.0

// Warnings about a server that is reachable by other machines.

import HTTPServer
import RESTAPI

extension ServeSettings {
    /// The warnings to be logged when the server listens.
    func warnings(listeningAt addresses: [ListenAddress]) -> [(event: LogEvent, message: String)] {
        var warnings: [(event: LogEvent, message: String)] = []
        let reached = addresses.filter { !$0.isLocal }.map(\.description)
        if access != nil {
            guard tlsCertificates.isEmpty, !reached.isEmpty else { return [] }
            let message =
                "Keys, tokens and data are sent to and from \(Wording.list(reached)) without encryption. Give a "
                + "certificate: --tls-cert FILE --tls-key FILE"
            return [(.setting, message)]
        }
        if !reached.isEmpty {
            let list = Wording.list(reached)
            warnings.append(
                (.anonymous, "Every client that can reach \(list) may read and write all data (--allow-anonymous).")
            )
            if api.hostNames.isEmpty {
                warnings.append(
                    (
                        .setting,
                        "On \(list), requests for any host name are answered, so that a web page whose host name resolves to "
                            + "that address can read all data. Set the server's names: --host-names app.example"
                    )
                )
            }
        }
        if api.allowedOrigins.contains(.any) {
            warnings.append((.setting, "Pages of every site may read and write all data (--cors *)."))
        }
        return warnings
    }
}
