// SPDX-License-Identifier: Apache-2.0

// Text and JSON of findings.

import JSON
import ObjectModel
import SourceText

extension ModelIssue {
    /// `App.xcdatamodeld:12: Post.views: error: … (hint)`, with the known parts of the place.
    var line: StyledText {
        var line = place.prefix + StyledText(severity.word, severity.style) + StyledText(": " + message)
        if let hint { line += " " + StyledText(hint, .faint) }
        return line
    }

    var json: JSONValue {
        var json: JSONObject = ["severity": .string(severity.word), "code": .string(code.rawValue)]
        place.add(to: &json)
        json["message"] = .string(message)
        json["hint"] = hint.map(JSONValue.string)
        return .object(json)
    }
}

extension ModelIssue.Place {
    /// `App.xcdatamodeld:12: Post.views: `, with the known parts.
    var prefix: StyledText {
        let location = file.map { StyledText($0.printable() + (line.map { ":\($0)" } ?? "") + ": ") }
        let names = [entity, property].compactMap(\.self).joined(separator: ".").printable()
        return (location ?? "") + (names.isEmpty ? "" : StyledText(names, .bold) + ": ")
    }

    func add(to json: inout JSONObject) {
        json["file"] = file.map(JSONValue.string)
        json["line"] = line.map { JSONValue.integer($0) }
        json["column"] = column.map { JSONValue.integer($0) }
        json["entity"] = entity.map(JSONValue.string)
        json["property"] = property.map(JSONValue.string)
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

    var style: Style {
        switch self {
        case .note: .cyan
        case .warning: .yellow
        case .error: .red
        }
    }
}
