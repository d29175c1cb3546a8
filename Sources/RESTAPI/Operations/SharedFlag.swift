// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag of a server that all its APIs see: those of identities and of versions of the model, too.
final class SharedFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
