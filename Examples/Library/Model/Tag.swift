// SPDX-License-Identifier: Apache-2.0

// A topic of posts.

import Outcrop

final class Tag: ManagedObject {}
