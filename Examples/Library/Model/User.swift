// SPDX-License-Identifier: Apache-2.0

// Who writes posts and comments.

import Outcrop

final class User: Contact {}
