// SPDX-License-Identifier: Apache-2.0

/// The reason why a word can't be parsed, as a clause that follows a colon.
package struct InvalidArgument: Error, Equatable {
    package var reason: String
    /// The word, set where the error is caught.
    var word = ""

    package init(_ reason: String) {
        self.reason = reason
    }
}
