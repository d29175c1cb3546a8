// SPDX-License-Identifier: Apache-2.0

// Why hooks can't be started at present.

package struct HooksUnavailable: Error, CustomStringConvertible {
    package let description: String

    static let changingModel = HooksUnavailable(description: "The model is being changed. Try again later.")
    static let ended = HooksUnavailable(description: "The server is shutting down.")
}
