// SPDX-License-Identifier: Apache-2.0

// An error of a reader as one of the findings about a model.

extension ModelError {
    /// The error as a finding, for those who list findings.
    public var issue: ModelIssue {
        ModelIssue(code.ofIssue, at: place, message, hint: hint)
    }
}

extension ModelError.Code {
    fileprivate var ofIssue: ModelIssue.Code {
        switch self {
        case .notFound: .modelNotFound
        case .fileSystem: .modelFileSystem
        case .syntax: .modelSyntax
        case .notAModel: .modelNotAModel
        case .noVersion: .modelNoVersion
        case .unwritable: .modelUnwritable
        case .wouldOverwrite: .modelWouldOverwrite
        }
    }
}
