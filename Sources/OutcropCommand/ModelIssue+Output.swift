// SPDX-License-Identifier: Apache-2.0

// Findings about models as lines for people and as JSON.

import JSON
import ObjectModel

extension ModelIssue {
    /// `App.xcdatamodeld:12: Post.views: error: … (hint)`, with the parts that the place has.
    func line(on terminal: Terminal) -> String {
        var line = ""
        if let file = place.file { line += file + (place.line.map { ":\($0)" } ?? "") + ": " }
        let names = [place.entity, place.property].compactMap(\.self).joined(separator: ".")
        if !names.isEmpty { line += terminal.styled(names, .bold) + ": " }
        line += terminal.styled(severity.word, severity.style) + ": " + message
        if let hint { line += " " + terminal.styled(hint, .faint) }
        return line
    }

    var json: JSONValue {
        var json: JSONObject = ["severity": .string(severity.word), "code": .string(code.rawValue)]
        json["file"] = place.file.map(JSONValue.string)
        json["line"] = place.line.map { JSONValue.integer($0) }
        json["entity"] = place.entity.map(JSONValue.string)
        json["property"] = place.property.map(JSONValue.string)
        json["message"] = .string(message)
        json["hint"] = hint.map(JSONValue.string)
        return .object(json)
    }
}

extension ModelIssue.Severity {
    var word: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .error: "error"
        }
    }

    fileprivate var style: Style {
        switch self {
        case .note: .cyan
        case .warning: .yellow
        case .error: .red
        }
    }
}
