// SPDX-License-Identifier: Apache-2.0

// Somebody looked at a page.

import Outcrop

final class Visit: ManagedObject {}
