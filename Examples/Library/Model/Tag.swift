// SPDX-License-Identifier: Apache-2.0

// What posts are about.

import Outcrop

final class Tag: ManagedObject {}
