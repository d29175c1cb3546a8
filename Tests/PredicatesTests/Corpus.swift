// SPDX-License-Identifier: Apache-2.0

// Other people's format strings, which some tests read where OUTCROP_CORPUS names their folder.

import FoundationEssentials

enum Corpus {
    static let folder = ProcessInfo.processInfo.environment["OUTCROP_CORPUS"]
}
