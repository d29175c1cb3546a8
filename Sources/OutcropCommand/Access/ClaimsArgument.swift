// SPDX-License-Identifier: Apache-2.0

import Arguments
import JSON

/// The claims of a token on the command line, as a JSON object.
struct ClaimsArgument: ArgumentValue {
    let argument: String
    let claims: JSONObject

    init(argument: String) throws(InvalidArgument) {
        guard let claims = (try? JSONValue(parsing: argument))?.object else {
            throw InvalidArgument("expected a JSON object, such as '{\"sub\": \"anna\"}'")
        }
        self.argument = argument
        self.claims = claims
    }
}
