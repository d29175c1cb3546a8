// SPDX-License-Identifier: Apache-2.0

// Compiled models, as stores of unknown origin carry them: property lists, archives in them, and predicates in those.

import Outcrop

func fuzzCompiledModel(_ bytes: [UInt8]) -> CInt {
    guard let model = try? Model(compiled: bytes) else { return 0 }
    if let written = try? model.compiled() {
        let again = try? Model(compiled: written)
        precondition(again != nil, "A compiled model can't be read back.")
    }
    return use(model)
}
