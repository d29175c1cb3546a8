// SPDX-License-Identifier: Apache-2.0

// The result of reading a model: its versions and the issues found.

/// One version of a model, as read.
public struct ModelVersion: Hashable, Sendable {
    /// The name of the `.xcdatamodel` or JSON file without its extension.
    public var name: String
    public var model: Model
    /// The issues found while reading; `findings()` adds those of the check of the model.
    public var issues: [ModelIssue]

    /// The error that left nothing of the version but its name, if there was one.
    package var unreadable: ModelIssue? {
        issues.first { [.modelFileSystem, .modelSyntax, .modelNotAModel].contains($0.code) }
    }

    public init(name: String, model: Model, issues: [ModelIssue] = []) {
        self.name = name
        self.model = model
        self.issues = issues
    }
}

/// All versions of a model, and which one is current.
public struct ModelFile: Hashable, Sendable {
    /// In natural order: `Model 2` before `Model 10`.
    public var versions: [ModelVersion]
    public var currentIndex: Int

    public var current: ModelVersion { versions[currentIndex] }

    public init(versions: [ModelVersion], currentIndex: Int = 0) {
        precondition(versions.indices.contains(currentIndex), "A model file has versions, and one is current.")
        self.versions = versions
        self.currentIndex = currentIndex
    }
}
