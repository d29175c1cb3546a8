// SPDX-License-Identifier: Apache-2.0

// Paths for the sockets of tests.

import TestSupport

/// Passes a free path in a folder that is removed afterwards.
func withSocketPath<R>(_ body: (String) throws -> R) throws -> R {
    try Checkout.withFolder { try body($0 + "/s") }
}
