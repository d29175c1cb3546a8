// SPDX-License-Identifier: Apache-2.0

// Converts a reader's error into a finding.

extension ModelError {
    /// The error as a finding, for lists of findings.
    public var issue: ModelIssue {
        ModelIssue(code.issueCode, at: place, message, hint: hint)
    }
}

extension ModelError.Code {
    fileprivate var issueCode: ModelIssue.Code {
        switch self {
        case .notFound: .modelNotFound
        case .fileSystem: .modelFileSystem
        case .syntax: .modelSyntax
        case .notAModel: .modelNotAModel
        case .noVersion: .modelNoVersion
        case .unwritable: .modelUnwritable
        case .wouldOverwrite: .modelWouldOverwrite
        case .mapping: .modelMapping
        }
    }
}
