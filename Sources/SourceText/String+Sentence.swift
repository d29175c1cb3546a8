// SPDX-License-Identifier: Apache-2.0

// Error texts within other sentences.

extension String {
    /// The text as the end of a sentence, with a full stop unless it ends with a punctuation mark already.
    ///
    ///     "The store can't be read: \(error)".asSentenceEnd
    public var asSentenceEnd: String {
        guard let last else { return self }
        return ".?!…".contains(last) ? self : self + "."
    }
}
