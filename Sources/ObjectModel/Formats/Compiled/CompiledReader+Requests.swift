// SPDX-License-Identifier: Apache-2.0

// Fetch requests and fetched properties of a compiled model.

import PropertyList

extension CompiledReader {
    mutating func template(
        _ object: ArchivedObject,
        name: String,
        entityName: String? = nil,
        what: String
    ) throws(ModelError) -> FetchRequestTemplate {
        var template = FetchRequestTemplate(
            name: name,
            entityName: object["NSEntity"]?.object?.text("NSEntityName") ?? entityName ?? "",
            resultType: object.count("NSResultType").flatMap(FetchRequestTemplate.ResultType.init),
            fetchLimit: object.count("NSFetchLimit"),
            fetchBatchSize: object.count("NSBatchSize")
        )
        if let predicate = object["NSPredicate"], !predicate.isNull {
            template.predicate = readPredicate(predicate, of: what)
        }
        template.flags = CompiledRequestFlags(
            rawValue: object.integer("NSFetchRequestFlags") ?? CompiledRequestFlags.standard.rawValue
        )
        for (key, part) in [
            ("NSSortDescriptors", "a sort order"), ("NSValuesToFetch", "a choice of properties"),
            ("NSValuesToGroupBy", "groups"), ("NSHavingPredicate", "a condition on groups"),
            ("NSRelationshipKeyPathsForPrefetching", "relationships to fetch along"),
        ] where !(object[key]?.isNull ?? true) {
            report("\(what) has \(part), which isn't supported here and is ignored.")
        }
        return template
    }

    mutating func fetchedProperty(_ object: ArchivedObject, name: String) throws(ModelError) -> FetchedProperty {
        let requestName = FetchRequestTemplate.nameInFetchedProperty
        let entityName = object.text("_NSFetchRequestEntityName")
        var request = FetchRequestTemplate(name: requestName, entityName: entityName ?? "")
        if let archived = object["NSFetchRequest"]?.object {
            request = try template(archived, name: requestName, entityName: entityName, what: "The fetched property")
        }
        return FetchedProperty(
            name: name,
            fetchRequest: request,
            isOptional: object.flag("NSIsOptional"),
            userInfo: try userInfo(object["NSUserInfo"])
        )
    }
}

extension ArchivedObject {
    /// A positive number; zero means none.
    fileprivate func count(_ key: String) -> Int? { integer(key).flatMap { $0 > 0 ? $0 : nil } }
}
