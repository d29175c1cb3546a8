// SPDX-License-Identifier: Apache-2.0

// What reading a model from somewhere gives: its versions, and what the reader had to say.

/// One version of a model, as it was read.
public struct ModelVersion: Hashable, Sendable {
    /// The version's name: that of the `.xcdatamodel` or JSON file without its extension.
    public var name: String
    public var model: Model
    /// What reading it brought up; `findings()` has what the check of the model finds as well.
    public var issues: [ModelIssue]

    /// Why there is nothing of the version but its name, if that is so.
    package var unreadable: ModelIssue? {
        issues.first { [.modelFileSystem, .modelSyntax, .modelNotAModel].contains($0.code) }
    }

    public init(name: String, model: Model, issues: [ModelIssue] = []) {
        self.name = name
        self.model = model
        self.issues = issues
    }
}

/// All versions of a model, one of which is current.
public struct ModelFile: Hashable, Sendable {
    /// In the order in which a person would count them: `Model 2` before `Model 10`.
    public var versions: [ModelVersion]
    public var currentIndex: Int

    public var current: ModelVersion { versions[currentIndex] }

    public init(versions: [ModelVersion], currentIndex: Int = 0) {
        precondition(versions.indices.contains(currentIndex), "A model file has versions, and one is current.")
        self.versions = versions
        self.currentIndex = currentIndex
    }
}
