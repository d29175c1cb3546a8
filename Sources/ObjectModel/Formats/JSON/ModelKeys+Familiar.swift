// SPDX-License-Identifier: Apache-2.0

// What to write instead of keys that other formats have.

extension ModelKeys {
    func familiarHint(for name: String) -> String? {
        object == Self.attribute.object ? Self.attributeHints[name.lowercased()] : nil
    }

    private static let optionality = "A type with a question mark, \"String?\", is optional; any other is required."

    private static let attributeHints = [
        "required": optionality,
        "nullable": optionality,
        "unique": "Write it in the entity: \"unique\": [\"name\"].",
        "enum": "A pattern permits some texts only: \"pattern\": \"draft|final\".",
    ]
}
