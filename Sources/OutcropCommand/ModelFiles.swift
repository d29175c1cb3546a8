// SPDX-License-Identifier: Apache-2.0

// Model files as command lines name them.

import Arguments
import ObjectModel
import Predicates
import SourceText

enum ModelFiles {
    static let completion = Completion.file(["xcdatamodeld", "xcdatamodel", "json"])

    static func read(_ path: String) throws -> ModelFile {
        try naming(path) { () throws(ModelError) in try ModelFile.read(path: path) }
    }

    static func write(_ file: ModelFile, to path: String, as format: ModelFile.Format?) throws {
        try naming(path) { () throws(ModelError) in try file.write(path: path, as: format) }
    }

    static func write(_ text: String, to path: String) throws {
        try naming(path) { () throws(ModelError) in try FileSystem.write(Array(text.utf8), to: path) }
    }

    static func entity(named name: String, in model: Model, at path: String) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        let hint = Spelling.hint(for: name, among: model.entities.map(\.name))
        throw Failure("\(path) has no entity “\(name)”.", hint: hint)
    }

    /// Sees to it that what can't be done with a file is said with its name.
    static func naming<Result>(_ path: String, _ work: () throws(ModelError) -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            var issue = error.issue
            if !path.isEmpty { issue.place.file = issue.place.file ?? path }
            throw Failure(issue)
        }
    }
}
