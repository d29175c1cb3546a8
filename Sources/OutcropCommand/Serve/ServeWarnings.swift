// SPDX-License-Identifier: Apache-2.0

// Warnings about a server that is reachable by other machines.

import HTTPServer
import RESTAPI

extension ServeSettings {
    /// The warnings to be logged when the server listens.
    func warnings(listeningAt addresses: [ListenAddress]) -> [(event: LogEvent, message: String)] {
        var warnings: [(event: LogEvent, message: String)] = []
        let reached = addresses.filter { !$0.isLocal }.map(\.description)
        if !reached.isEmpty {
            let list = Wording.list(reached)
            warnings.append(
                (.anonymous, "Whoever can reach \(list) may read and write everything (--allow-anonymous).")
            )
            if api.hostNames.isEmpty {
                warnings.append(
                    (
                        .setting,
                        "At \(list) requests are answered whatever name they ask for, so that a page whose name leads "
                            + "there reads everything. Give the server its names: --host-names app.example"
                    )
                )
            }
        }
        if api.allowedOrigins.contains(.any) {
            warnings.append((.setting, "Pages of every site may read and write everything (--cors *)."))
        }
        return warnings
    }
}
