// SPDX-License-Identifier: Apache-2.0

// Times in hooks' files and answers.

import FoundationEssentials
import JSON
import SourceText

extension JSONValue {
    static func date(_ date: Date) -> JSONValue { DateText.text(date).map(JSONValue.string) ?? .null }

    var date: Date? { string.flatMap(Date.init(rfc3339:)) }
}
