// SPDX-License-Identifier: Apache-2.0

// The sites whose pages may use the API.

package import HTTPMessage

/// One site, or any.
package enum AllowedOrigin: Hashable, Sendable, LosslessStringConvertible {
    /// Written as `*`: pages of every site may read and write everything.
    case any
    case only(Origin)

    /// Nil where the text is neither `*` nor an origin.
    package init?(_ text: String) {
        if text == "*" {
            self = .any
        } else {
            guard let origin = Origin(text) else { return nil }
            self = .only(origin)
        }
    }

    package var description: String {
        switch self {
        case .any: "*"
        case .only(let origin): origin.description
        }
    }
}
