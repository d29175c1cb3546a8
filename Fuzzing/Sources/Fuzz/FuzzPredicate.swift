// SPDX-License-Identifier: Apache-2.0

// Format strings: what parses must be written and read back as the same tree.

import Outcrop

func fuzzPredicate(_ bytes: [UInt8]) -> CInt {
    let format = String(decoding: bytes, as: UTF8.self)
    do {
        let predicate = try ObjectPredicate(template: format)
        let again = try ObjectPredicate(template: predicate.description)
        precondition(again == predicate, "\(predicate) came back as \(again).")
        _ = predicate.freeVariables
        _ = predicate.substituting(variables: ["x": 1])
    } catch {
        precondition(!error.message.isEmpty)
        _ = error.excerpt(of: format)
    }
    return 0
}
