// SPDX-License-Identifier: Apache-2.0

// Texts of errors within other sentences.

extension String {
    /// The text as the end of a sentence: with a full stop, unless it ends in one, or in another mark that ends sentences, already.
    ///
    ///     "The store can't be read: \(error)".asSentenceEnd
    public var asSentenceEnd: String {
        guard let last else { return self }
        return ".?!…".contains(last) ? self : self + "."
    }
}
