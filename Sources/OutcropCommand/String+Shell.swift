// SPDX-License-Identifier: Apache-2.0

import Arguments

extension String {
    /// The text as a word of a command line, in quotes if a shell needs them.
    var quotedForShell: String {
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:,@%=".contains($0)) }
        return isPlain ? self : shellQuoted(self)
    }
}
