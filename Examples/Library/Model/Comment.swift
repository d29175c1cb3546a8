// SPDX-License-Identifier: Apache-2.0

// A comment on a post.

import Outcrop

final class Comment: ManagedObject {}
