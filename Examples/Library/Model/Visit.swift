// SPDX-License-Identifier: Apache-2.0

// A visit to a page.

import Outcrop

final class Visit: ManagedObject {}
