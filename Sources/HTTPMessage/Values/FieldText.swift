// SPDX-License-Identifier: Apache-2.0

// Formatting of field values.

enum FieldText {
    static func tokenOrQuoted(_ text: String) -> String {
        !text.isEmpty && text.utf8.allSatisfy(\.isToken) ? text : quoted(text)
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
