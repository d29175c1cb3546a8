// SPDX-License-Identifier: Apache-2.0

// Model files as command lines name them.

import Arguments
import ObjectModel
import Predicates
import SourceText

enum ModelFiles {
    static let completion = Completion.file(["xcdatamodeld", "xcdatamodel", "json"])

    /// Reads a model.
    static func read(_ path: String) throws -> ModelFile {
        do {
            return try ModelFile.read(path: path)
        } catch {
            throw Failure(error.message, hint: error.hint)
        }
    }

    static func write(_ file: ModelFile, to path: String, as format: ModelFile.Format?) throws {
        do {
            try file.write(path: path, as: format)
        } catch {
            throw Failure(error.message, hint: error.hint)
        }
    }

    static func entity(named name: String, in model: Model, at path: String) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        let hint = Spelling.hint(for: name, among: model.entities.map(\.name))
        throw Failure("\(path) has no entity “\(name)”.", hint: hint)
    }
}
