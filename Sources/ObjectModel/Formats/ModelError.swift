// SPDX-License-Identifier: Apache-2.0

/// The reason why no model could be read or written. Problems inside a model that was read are `ModelIssue`s.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, stable across versions, unlike messages.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// The path doesn't exist.
        case notFound
        /// The file system refused to read or write.
        case fileSystem
        /// The text is not XML or JSON.
        case syntax
        /// The file was read, but is not a model.
        case notAModel
        /// The bundle has no version, or lacks the named one.
        case noVersion
        /// The model has content that the format can't express.
        case unwritable
        /// The file to be overwritten is not a model, or not a picture when drawing one.
        case wouldOverwrite
        /// The rules of a migration can't be used.
        case mapping
    }

    public let code: Code
    public let place: ModelIssue.Place
    /// One sentence in plain English.
    public let message: String
    /// The remedy, if one is known.
    public let hint: String?

    package init(_ code: Code, at place: ModelIssue.Place, _ message: String, hint: String? = nil) {
        self.code = code
        self.place = place
        self.message = message
        self.hint = hint
    }

    /// `file:line:column: message (hint)`, with the parts that are known.
    public var description: String {
        let parts = [place.file, place.line.map(String.init), place.column.map(String.init)].compactMap(\.self)
        let prefix = parts.isEmpty ? "" : parts.joined(separator: ":") + ": "
        return prefix + message + (hint.map { " (\($0))" } ?? "")
    }
}

extension ModelError {
    static func unwritable(_ message: String, property: String? = nil) -> ModelError {
        ModelError(.unwritable, at: ModelIssue.Place(property: property), message)
    }

    /// A copy of the error that names an entity.
    func placed(inEntity entity: String) -> ModelError {
        var place = place
        place.entity = entity
        return ModelError(code, at: place, message, hint: hint)
    }
}
