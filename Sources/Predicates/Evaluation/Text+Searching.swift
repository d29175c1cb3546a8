// SPDX-License-Identifier: Apache-2.0

// BEGINSWITH, ENDSWITH and CONTAINS. Both sides are folded completely first, since folding changes lengths: `straße`
// begins with `STRASS` under `[c]`.

extension Text {
    package static func begins(_ text: String, with part: String, _ options: Comparison.Options = []) -> Bool {
        let text = folded(text, options)
        let part = folded(part, options)
        return text.utf8.span.begins(with: part.utf8.span)
    }

    package static func ends(_ text: String, with part: String, _ options: Comparison.Options = []) -> Bool {
        let text = folded(text, options)
        let part = folded(part, options)
        return text.utf8.span.ends(with: part.utf8.span)
    }

    /// Whether the part occurs in the text; an empty part always does.
    package static func contains(_ text: String, _ part: String, _ options: Comparison.Options = []) -> Bool {
        let text = folded(text, options)
        let part = folded(part, options)
        return text.utf8.span.contains(part.utf8.span)
    }
}
