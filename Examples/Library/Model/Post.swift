// SPDX-License-Identifier: Apache-2.0

// A post sets its creation date, and derives a slug from its title.

import FoundationEssentials
import Outcrop

final class Post: ManagedObject {
    override func awakeFromInsert() { createdAt = .now }

    override func willSave() {
        guard slug.isEmpty, !isDeleted else { return }
        slug = String(title.lowercased().map { $0.isASCII && $0.isLetter ? $0 : "-" })
    }
}
