// SPDX-License-Identifier: Apache-2.0

// Runs one fuzz target, named by the first argument; the others are libFuzzer's.

import CLibFuzzer
import Glibc

@main
enum Main {
    static func main() {
        var arguments = CommandLine.arguments
        guard arguments.count > 1, let target = targets[arguments.remove(at: 1)] else {
            print("usage: Fuzz \(targets.keys.sorted().joined(separator: "|")) [libFuzzer options] [folders]")
            exit(2)
        }
        var count = CInt(arguments.count)
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        pointers.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            exit(LLVMFuzzerRunDriver(&count, &start, target))
        }
    }

    private typealias FuzzTarget = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

    private static let targets: [String: FuzzTarget] = [
        "compiled": { fuzzCompiledModel(bytes($0, $1)) },
        "csv": { fuzzCSV(bytes($0, $1)) },
        "http": { fuzzHTTP(bytes($0, $1)) },
        "json": { fuzzJSONModel(bytes($0, $1)) },
        "predicate": { fuzzPredicate(bytes($0, $1)) },
        "query": { fuzzQuery(bytes($0, $1)) },
        "stream": { fuzzStream(bytes($0, $1)) },
        "token": { fuzzToken(bytes($0, $1)) },
        "xml": { fuzzXMLModel(bytes($0, $1)) },
    ]

    private static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }
}
