// SPDX-License-Identifier: Apache-2.0
// What a type says about a word that it can't be read from.

/// Why a word is no value of a type, as a clause that follows a colon.
public struct InvalidArgument: Error, Equatable {
    public var reason: String
    /// The word, once it is known where it was read.
    var word = ""

    public init(_ reason: String) {
        self.reason = reason
    }
}
