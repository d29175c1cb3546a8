// SPDX-License-Identifier: Apache-2.0

// Reads the parameter `search`.

import ObjectGraph

extension Search {
    /// A search among the objects of a resource; nil for a text without words, which matches nothing.
    init?(_ text: String, of resource: Resource, in api: API) throws(Problem) {
        let kinds = api.catalogue.model.kinds(of: resource.entity)
        guard kinds.contains(where: { !$0.searchedTexts.isEmpty }) else {
            throw Problem(
                .parameter,
                "\(resource.name) has no attributes in the search index.",
                hint: "Mark an attribute as “searchIndexed” in the model, or use “where”."
            )
        }
        // The index has the texts of all of them.
        let isHidden = kinds.contains { kind in
            kind.searchedTexts.contains { api.access?.canRead($0.attribute.name, of: kind) == false }
        }
        guard !isHidden else {
            throw Problem(
                .forbidden,
                "\(resource.name) can't be searched: the search index has texts that you can't read.",
                hint: "Use “where”."
            )
        }
        do throws(SearchError) {
            try self.init(text)
        } catch  where !text.unicodeScalars.contains(where: \.isOfWord) {
            return nil
        } catch {
            var problem = Problem(.parameter, "In “search”: \(error.message)", hint: error.hint)
            problem.position = error.position
            throw problem
        }
    }
}

extension Unicode.Scalar {
    /// Whether it may be part of a word.
    fileprivate var isOfWord: Bool { properties.isAlphabetic || properties.numericType != nil }
}
