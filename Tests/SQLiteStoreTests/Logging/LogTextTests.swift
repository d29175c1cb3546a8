// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import SQLiteStore

@Suite("Text of the log")
struct LogTextTests {
    @Test(
        "a log entry is a single line, whatever its content",
        arguments: [
            ("plain “text” é 日本", "plain “text” é 日本"),
            ("a\nCoreData: sql: DROP", #"a\nCoreData: sql: DROP"#),
            ("a\r\nb\tc", #"a\r\nb\tc"#),
            ("\u{1B}[2J\u{0}\u{7F}\u{85}", #"\u{1b}[2J\u{0}\u{7f}\u{85}"#),
            ("\u{2028}\u{2029}\u{202E}", #"\u{2028}\u{2029}\u{202e}"#),
        ]
    )
    func lines(text: String, expected: String) {
        #expect(LogText.line(text) == "CoreData: " + expected)
    }

    @Test(
        "a logged value has its type, and long values are shortened",
        arguments: [
            (.null, "NULL"), (5, "(int64)5"), (.integer(.min), "(int64)-9223372036854775808"), (1.5, "(double)1.5"),
            (.real(.infinity), "(double)inf"), ("", "\"\""), (#"a "b" \c"#, #""a \"b\" \\c""#),
            (.text(String(repeating: "é", count: 256)), "\"\(String(repeating: "é", count: 256))\""),
            (.text(String(repeating: "é", count: 257)), "\"\(String(repeating: "é", count: 256))…\" of 514 bytes"),
            (.blob([]), "{length = 0, bytes = 0x}"), (.blob([1, 0xAB]), "{length = 2, bytes = 0x01ab}"),
            (
                .blob(Array(repeating: 0, count: 1000)),
                "{length = 1000, bytes = 0x\(String(repeating: "0", count: 48))…}"
            ),
        ] as [(SQLValue, String)]
    )
    func values(value: SQLValue, expected: String) {
        #expect(LogText.value(value) == expected)
    }

    @Test("an unknown value is logged as not known")
    func unknown() {
        #expect(LogText.value(nil) == "(not known)")
    }

    @Test(
        "times are logged in seconds, to a tenth of a millisecond",
        arguments: [
            (.zero, "0.0000s"), (.microseconds(49), "0.0000s"), (.microseconds(50), "0.0001s"),
            (.milliseconds(12), "0.0120s"), (.microseconds(999_950), "1.0000s"), (.seconds(75), "75.0000s"),
            (.seconds(-1), "0.0000s"),
        ] as [(Duration, String)]
    )
    func times(duration: Duration, expected: String) {
        #expect(LogText.seconds(duration) == expected)
    }
}
