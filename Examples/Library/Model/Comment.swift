// SPDX-License-Identifier: Apache-2.0

// What somebody says about a post.

import Outcrop

final class Comment: ManagedObject {}
