// SPDX-License-Identifier: Apache-2.0

// A group of users.

import Outcrop

final class Group: Contact {}
