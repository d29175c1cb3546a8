// SPDX-License-Identifier: Apache-2.0

// Where tests put sockets.

import TestSupport

/// Hands on a path that is free, in a folder that is removed afterwards.
func withSocketPath<R>(_ body: (String) throws -> R) throws -> R {
    try Checkout.withFolder { try body($0 + "/s") }
}
