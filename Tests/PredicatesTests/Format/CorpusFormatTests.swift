// SPDX-License-Identifier: Apache-2.0

// Format strings of other programs, from the corpus, if OUTCROP_CORPUS names it.

import Predicates
import TestSupport
import Testing

@Suite("Format strings from the corpus", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS is not set"))
struct CorpusFormatTests {
    /// Refused parts of format strings, with their error codes. `docs/predicates.md` gives the reasons.
    static let refusals: [(part: String, code: FormatError.Code)] = [
        ("FETCH(", .unsupported),
        ("FUNCTION(", .unsupported),
        // Operators on dictionaries that Realm added to the language.
        (".@allKeys", .unknown),
        (".@allValues", .unknown),
        // Values where a key path needs names.
        (".$", .unexpected),
        ("SELF.%@", .unexpected),
        // Beginnings of strings, and strings built at run time from more than one literal.
        ("label == '", .malformed),
        ("label != '", .malformed),
        ("label MATCHES '", .malformed),
        ("value == '", .malformed),
        ("name ==", .unexpected),
        ("AND (%K))", .unexpected),
        ("MATCHES%K", .unexpected),
        ("NOT %K ==%K", .unexpected),
        ("OR %K", .unexpected),
        // Other notations, and sentences that aren't format strings.
        ("? =", .unexpected),
        ("@K ==", .unknown),
        ("===", .unexpected),
        ("isKindOfClass:", .unsupported),
        ("type NSArray", .unexpected),
        ("less than", .unexpected),
    ]

    @Test("every format string of the corpus parses or is refused for a documented reason")
    func everyFormat() throws {
        #expect(Corpus.formats.count > 1_400)
        for format in Corpus.formats {
            do {
                try roundTrip(format)
            } catch {
                let isDocumented = Self.refusals.contains { format.contains($0.part) && error.code == $0.code }
                #expect(isDocumented, "\(format) is refused: \(error)")
            }
        }
    }

    private func roundTrip(_ format: String) throws(FormatError) {
        do {
            let predicate = try ObjectPredicate(template: format)
            let again = try? ObjectPredicate(template: predicate.description)
            #expect(again == predicate, "\(format)")
        } catch {
            guard let expression = try? ObjectExpression(template: format) else { throw error }
            let again = try? ObjectExpression(template: expression.description)
            #expect(again == expression, "\(format)")
        }
    }
}
