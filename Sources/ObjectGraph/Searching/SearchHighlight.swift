// SPDX-License-Identifier: Apache-2.0

// Highlights of a search for display.

import Predicates

extension Search {
    /// The matching texts of an object as HTML fragments with `<mark>` around the matches, under the attributes' key
    /// paths and in their order.
    ///
    /// A fragment has up to forty words, and begins a few words before the first match. All other text in it is
    /// escaped.
    public func highlights(in snapshot: Snapshot) -> [(keyPath: String, fragment: String)] {
        highlights(of: snapshot.objectID.entity) { snapshot.row.attributes[$0] }
    }

    public func highlights(in row: PageRow) -> [(keyPath: String, fragment: String)] {
        highlights(of: row.entity) { row.value($0) }
    }

    private func highlights(
        of entity: EntityDescription,
        valueOf: (_ slot: Int) -> Value
    ) -> [(keyPath: String, fragment: String)] {
        entity.searchedTexts.compactMap { searched in
            guard let text = searched.text(in: valueOf(searched.attribute.slot)) else { return nil }
            return SearchFragment(of: text, query).map { (searched.name, $0.html) }
        }
    }
}

/// A part of a text with its matches.
struct SearchFragment {
    private static let length = 40
    /// The number of words before the first match.
    private static let lead = 8

    let html: String

    /// Nil without a match.
    init?(of text: String, _ query: SearchQuery) {
        let words = SearchWords.words(in: text)
        let marked = Self.marked(words, query)
        guard let first = marked.first else { return nil }
        let start =
            words.count <= Self.length ? 0 : max(0, min(first.lowerBound - Self.lead, words.count - Self.length))
        let end = min(start + Self.length, words.count)
        var place = start == 0 ? text.startIndex : words[start].range.lowerBound
        let last = end == words.count ? text.endIndex : words[end - 1].range.upperBound
        var html = start == 0 ? "" : "…"
        for run in marked where run.lowerBound < end {
            let run = run.clamped(to: start..<end)
            guard !run.isEmpty else { continue }
            let from = words[run.lowerBound].range.lowerBound
            let to = words[run.upperBound - 1].range.upperBound
            html += text.unicodeScalars[place..<from].escaped
            html += "<mark>\(text.unicodeScalars[from..<to].escaped)</mark>"
            place = to
        }
        html += text.unicodeScalars[place..<last].escaped
        self.html = end == words.count ? html : html + "…"
    }

    /// The ranges of matching words; overlapping ones are merged.
    private static func marked(_ words: [SearchWords.Word], _ query: SearchQuery) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for term in query.terms where term.isWanted {
            let parts = term.pattern.split(separator: SearchWords.space)
            guard parts.count <= words.count else { continue }
            for start in 0...(words.count - parts.count) {
                let isThere = parts.indices.allSatisfy { place in
                    let word = words[start + place].folded
                    return term.isPrefix && place == parts.count - 1
                        ? word.starts(with: parts[place]) : word.elementsEqual(parts[place])
                }
                if isThere { runs.append(start..<start + parts.count) }
            }
        }
        var joined: [Range<Int>] = []
        for run in runs.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = joined.last, run.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
            } else {
                joined.append(run)
            }
        }
        return joined
    }
}

extension Substring.UnicodeScalarView {
    /// Escaped for HTML.
    fileprivate var escaped: String {
        var escaped = ""
        for scalar in self {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
