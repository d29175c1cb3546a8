// SPDX-License-Identifier: Apache-2.0

// Somebody or some group that can be written to.

import Outcrop

class Contact: ManagedObject {}
