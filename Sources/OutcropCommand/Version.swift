// SPDX-License-Identifier: Apache-2.0

// The version of the program. Packages, containers and documents take it from here.

import CBuild

enum Version {
    static let number = "1.0.0"

    /// The commit that the program was built from, if the build knows it: OUTCROP_COMMIT was set.
    static let commit: String? = {
        let text = unsafe String(cString: outcrop_commit())
        return text.isEmpty ? nil : text
    }()

    /// As `outcrop --version` prints it.
    static var text: String { number + (commit.map { " (commit \($0))" } ?? "") }
}
