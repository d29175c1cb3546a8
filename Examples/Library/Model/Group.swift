// SPDX-License-Identifier: Apache-2.0

// Some users together.

import Outcrop

final class Group: Contact {}
