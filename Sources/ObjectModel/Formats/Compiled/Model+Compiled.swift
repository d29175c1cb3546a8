// SPDX-License-Identifier: Apache-2.0

// Compiled models: `.mom` files and the contents of Z_MODELCACHE.

import Compression
import PropertyList
import SourceText

extension Model {
    /// Reads a compiled model: a `.mom` file or the contents of `Z_MODELCACHE`.
    ///
    /// Content that models here can't express is left out; `ModelVersion(compiled:)` reports it.
    public init(compiled bytes: [UInt8]) throws(ModelError) {
        self = try ModelVersion(compiled: bytes).model
    }

    /// The model as a `.mom` file.
    ///
    /// A compiled model doesn't keep the order of entities and properties, nor content that only Xcode uses. Predicates
    /// are stored as objects, so they are read back in canonical form.
    public func compiled() throws(ModelError) -> [UInt8] {
        var writer = CompiledWriter(self)
        return try writer.archive().binary()
    }

    /// The model as stores keep it in `Z_MODELCACHE`: compiled and deflated.
    public func compiledForStore() throws(ModelError) -> [UInt8] {
        let archive = try compiled()
        do {
            return try archive.deflated()
        } catch {
            throw .unwritable(error.message)
        }
    }
}

extension ModelVersion {
    /// Well above any real model, to bound the memory that a small input can inflate to.
    private static let largestArchive = 64 << 20

    /// Reads a compiled model: a `.mom` file or the contents of `Z_MODELCACHE`.
    ///
    /// Throws if the bytes are not a compiled model; `issues` has all other problems.
    public init(compiled bytes: [UInt8], name: String = "Model", file: String? = nil) throws(ModelError) {
        let place = ModelIssue.Place(file: file)
        let archive: KeyedArchive
        do {
            let isPropertyList = bytes.starts(with: "bplist".utf8) || bytes.starts(with: "<?xml".utf8)
            let list = isPropertyList ? bytes : try bytes.inflated(limit: Self.largestArchive)
            archive = try KeyedArchive(parsing: list)
        } catch let error as PropertyListError where error.code == .notAnArchive {
            throw ModelError(.notAModel, at: place, "This isn't a compiled model: \(error.message)")
        } catch {
            throw ModelError(.syntax, at: place, "The compiled model can't be read: \(error)".asSentenceEnd)
        }
        guard let root = archive.root.object, root.isKind(of: "NSManagedObjectModel") else {
            throw ModelError(.notAModel, at: place, "This archive doesn't contain a model.")
        }
        var reader = CompiledReader(file: file)
        let model = try reader.model(root)
        self.init(name: name, model: model, issues: reader.issues)
    }
}
