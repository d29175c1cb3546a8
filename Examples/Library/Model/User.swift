// SPDX-License-Identifier: Apache-2.0

// An author of posts and comments.

import Outcrop

final class User: Contact {}
