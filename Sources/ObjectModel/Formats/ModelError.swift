// SPDX-License-Identifier: Apache-2.0

// Why something can't be read as a model at all, or a model can't be written.

/// The reason why there is no model to speak of; what is wrong inside a model that was read are `ModelIssue`s.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, to be compared; messages are for people.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// There is nothing at the path.
        case notFound
        /// The file system refused to read or write.
        case fileSystem
        /// The text is no XML or JSON.
        case syntax
        /// It can be read, but is something else than a model.
        case notAModel
        /// The bundle has no version, or not the one that was named.
        case noVersion
        /// The model holds what the format has no way to write.
        case unwritable
        /// What would be overwritten is no model, or no picture where one is drawn.
        case wouldOverwrite
    }

    public let code: Code
    public let place: ModelIssue.Place
    /// One sentence in plain English.
    public let message: String
    /// What to do about it, where that can be said.
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

    /// The same, said of an entity.
    func placed(inEntity entity: String) -> ModelError {
        var place = place
        place.entity = entity
        return ModelError(code, at: place, message, hint: hint)
    }
}
