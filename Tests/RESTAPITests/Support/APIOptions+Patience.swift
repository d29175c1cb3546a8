// SPDX-License-Identifier: Apache-2.0

// The time that tests give to requests.

@testable import RESTAPI

extension APIOptions {
    /// The options with a long deadline in place of the default one, which only a busy machine reaches.
    var patient: APIOptions {
        var options = self
        if deadline == APIOptions().deadline { options.deadline = .seconds(600) }
        return options
    }
}
