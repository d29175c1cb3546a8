// SPDX-License-Identifier: Apache-2.0

// The entry point of the tests' program. All tests are Swift Testing's. With an entry point of its own the package needs no search
// for tests of XCTest, nor the index of all sources that the search reads, which takes a sixth of a build.

import Glibc
import Testing

@main
enum Main {
    static func main() async {
        // `swift test` runs the program once for each library, and names Swift Testing alone.
        guard CommandLine.arguments.contains("--testing-library") else { exit(EXIT_SUCCESS) }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
