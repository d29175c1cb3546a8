// SPDX-License-Identifier: Apache-2.0

// A person or a group with contact details.

import Outcrop

class Contact: ManagedObject {}
