// SPDX-License-Identifier: Apache-2.0

// The preferences of a request.

import HTTPMessage
import ObjectGraph
import SourceText

/// The values of `Prefer`.
struct Preferences: Equatable {
    enum Return: String, CaseIterable {
        case representation
        case minimal
        case changes
    }

    enum Merge: String, CaseIterable {
        case error
        case store
        case object
        case overwrite
        case rollback

        var policy: MergePolicy.Kind {
            switch self {
            case .error: .error
            case .store: .mergeByPropertyStoreTrump
            case .object: .mergeByPropertyObjectTrump
            case .overwrite: .overwrite
            case .rollback: .rollback
            }
        }
    }

    var returning: Set<Return> = []
    var merge: Merge?
    /// The author recorded in the history.
    var author: String?

    /// Unknown preferences are ignored, as RFC 7240 requires; an invalid value of a known one is an error.
    init(_ fields: HeaderFields) throws(Problem) {
        guard fields.contains(.prefer) else { return }
        for preference in Preference.all(in: fields) {
            switch preference.name {
            case "return": returning.insert(try Self.choice(preference))
            case "author" where author == nil: author = preference.value
            case "merge" where merge == nil: merge = try Self.choice(preference)
            default: break
            }
        }
        if author == nil { try Self.checkAuthor(fields) }
    }

    /// Refuses a change whose author can't be read, since it would be recorded without one.
    private static func checkAuthor(_ fields: HeaderFields) throws(Problem) {
        guard
            let text = fields.values(of: .prefer).first(where: { value in
                value.lowercased().split(separator: ",").contains { member in
                    member.drop(while: \.isWhitespace).hasPrefix("author=")
                }
            })
        else { return }
        throw Problem(
            .parameter,
            "“Prefer: \(text)” has no readable author.",
            hint: "Put a name that is more than a word in double quotes, as in author=\"anna@example.com\"."
        )
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ preference: Preference
    ) throws(Problem) -> Choice where Choice.RawValue == String {
        let text = preference.value ?? ""
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue)
        throw Problem(
            .parameter,
            "“Prefer: \(preference.name)=” can't be “\(text)”.",
            hint: Spelling.hint(for: text, among: choices) ?? "Use one of \(choices.joined(separator: ", "))."
        )
    }
}
