// SPDX-License-Identifier: Apache-2.0

// Real stores with their source models.

import JSON
import TestSupport

extension Corpus {
    struct Pair: Sendable {
        let store: String
        let models: [String]
    }

    static let pairs: [Pair] = {
        guard let path, let bytes = try? bytes(of: path + "/pairs.json"), let list = try? JSONValue(parsing: bytes)
        else { return [] }
        return (list.array ?? []).compactMap { pair in
            pair["store"]?.string.map { store in
                Pair(
                    store: path + "/" + store,
                    models: (pair["models"]?.array ?? []).compactMap { $0.string.map { path + "/" + $0 } }
                )
            }
        }
    }()
}
