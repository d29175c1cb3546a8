// SPDX-License-Identifier: Apache-2.0

// Compiled code that pages show: the lines between a comment with the page's name and a comment “End”.

import TestSupport

enum MarkedCode {
    /// The marked pieces of a source file for a page, in order, without their indentation.
    static func segments(of file: String, for page: String) throws -> [String] {
        var segments: [String] = []
        var segment: [Substring]?
        var indentation = 0
        for line in try Checkout.text(of: file).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasSuffix("// " + page) {
                indentation = line.prefix { $0 == " " }.count
                segment = []
            } else if line.hasSuffix("// End"), let lines = segment {
                segments.append(lines.joined(separator: "\n"))
                segment = nil
            } else {
                segment?.append(line.dropFirst(indentation))
            }
        }
        return segments
    }

    /// What the comments behind `print` say that it prints.
    static func outputs(in blocks: [Page.Block]) -> [String] {
        blocks.flatMap(\.lines).compactMap { line in
            line.firstMatch(of: /print\(.*\)  \/\/ (.+)/).map { String($0.1) }
        }
    }
}
