// SPDX-License-Identifier: Apache-2.0

// An error of a reader as one of the findings about a model.

extension ModelError {
    /// The error as a finding, for those who list findings.
    public var issue: ModelIssue {
        ModelIssue(.error, code: "model.\(code)", place: place, message: message, hint: hint)
    }
}
