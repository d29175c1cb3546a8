// SPDX-License-Identifier: Apache-2.0

// The settings of access control.

import Arguments

extension Setting {
    static let access = [
        Setting(
            "access",
            \.access,
            .text("FILE"),
            in: .access,
            defaultDescription: "none, so that every client may read and write all data",
            completion: AccessFiles.completion,
            "A JSON file of roles and rules. Nothing is then allowed but what a rule allows."
        ),
        Setting(
            "accessHosts",
            each: \.accessHosts,
            .keyHost,
            in: .access,
            defaultDescription: "none, so each host must be given",
            "The hosts that keys of tokens may be fetched from, such as id.example, with a port unless it is 443, so that no "
                + "file can make the server connect to anything else."
        ),
    ]
}
