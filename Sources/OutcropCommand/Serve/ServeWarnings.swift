// SPDX-License-Identifier: Apache-2.0

// What to know of a server that others can reach.

import HTTPServer
import RESTAPI

extension ServeSettings {
    /// What a log says when a server listens.
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
