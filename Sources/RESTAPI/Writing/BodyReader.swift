// SPDX-License-Identifier: Apache-2.0

// Reads writes from JSON. Entities, properties and values are resolved by the model, and objects by name.

import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import SourceText

/// Reads objects from a body, one write each. Nested objects are read recursively; JSON limits the depth.
struct BodyReader {
    let catalogue: Catalogue
    /// The accounts whose passwords may be set; nil if the sender may not.
    var accounts: ServedAccounts?
    /// How many passwords have been read.
    private(set) var passwordCount = 0
    private(set) var writes: [ObjectWrite] = []
    /// Whether new objects of a transaction may have former IDs.
    var keepsIDs = false
    var findings = Findings()
    /// Why the rest of the body isn't read: it refers to too many objects, or the time is over.
    private(set) var refusal: Problem?
    /// The number of objects that the body refers to, and its limit.
    private(set) var objectCount = 0
    private let objectLimit: Int
    private var meter = WorkMeter()
    /// The writes that insert the objects of temporary names.
    private var definitions: [String: Int] = [:]
    /// The uses of temporary names.
    private var nameUses: [NameUse] = []

    /// A use of a temporary name. An object with only `_id` may also be the definition.
    struct NameUse {
        let name: String
        let destination: Resource
        let place: BodyPosition
        let parent: Int
        let object: JSONObject?
    }

    init(_ catalogue: Catalogue, accounts: ServedAccounts? = nil, objectLimit: Int = .max) {
        self.catalogue = catalogue
        self.accounts = accounts
        self.objectLimit = objectLimit
    }

    /// Counts an object that the body inserts, changes, deletes or refers to. False at the limit.
    mutating func admitObject() -> Bool {
        guard refusal == nil else { return false }
        objectCount += 1
        if objectCount > objectLimit { refusal = .tooManyObjects(objectLimit) }
        do throws(GraphError) {
            try meter.step()
        } catch {
            refusal = .deadline
        }
        return refusal == nil
    }

    /// Resolves temporary names.
    mutating func finish() {
        for nameUse in nameUses where definitions[nameUse.name] == nil {
            guard let object = nameUse.object else { continue }
            let place = BodyPosition(
                object: nameUse.name,
                pointer: nameUse.place.pointer,
                position: nameUse.place.position
            )
            insert(object, nameUse.destination, place, nameUse.parent)
        }
        for nameUse in nameUses { check(nameUse) }
    }

    private mutating func check(_ nameUse: NameUse) {
        guard let index = definitions[nameUse.name], case .insert(let resource) = writes[index].action else {
            findings.add(
                .reference,
                "No object in the body has the name “\(nameUse.name.shortened)”.",
                at: nameUse.place
            )
            return
        }
        guard !resource.entity.isKind(of: nameUse.destination.entity) else { return }
        findings.add(
            .reference,
            "“\(nameUse.name.shortened)” is \(resource.name.withArticle), but \(nameUse.destination.name.withArticle) "
                + "is expected.",
            at: nameUse.place
        )
    }

    /// Reads a new object.
    ///
    /// - Returns: The index of its write, or nil if it is invalid.
    @discardableResult
    mutating func insert(
        _ object: JSONObject,
        _ resource: Resource,
        _ place: BodyPosition,
        _ parent: Int? = nil
    ) -> Int? {
        guard admitObject() else { return nil }
        let (named, place) = temporaryName(of: object, at: place)
        let kind = entity(of: object, below: resource, at: place) ?? resource
        guard !kind.entity.isAbstract else {
            let hint = hint(kind)
            findings.add(.abstract, "\(kind.name) is abstract.", hint: hint, at: place)
            return nil
        }
        if let version = object["_version"] {
            findings.add(.identity, "A new object can't have a version.", at: place.member("_version", version))
        }
        let index = begin(ObjectWrite(action: .insert(kind), place: place, temporaryName: named, parent: parent))
        if let named {
            if definitions.updateValue(index, forKey: named) != nil {
                findings.add(.duplicate, "Two objects have the name “\(named.shortened)”.", at: place)
            }
        }
        read(object, into: index, of: kind)
        return index
    }

    /// Reads changes of an object.
    @discardableResult
    mutating func change(
        _ object: JSONObject,
        _ action: ObjectWrite.Action,
        _ place: BodyPosition,
        _ parent: Int? = nil
    ) -> Int? {
        guard let location = action.location, admitObject() else { return nil }
        let index = begin(ObjectWrite(action: action, place: place, parent: parent))
        if let json = object["_id"], self.location(json) != location, !isSame(json, as: location) {
            findings.add(
                .identity,
                "The object is \(location.name), but _id is \(json.summary).",
                hint: "Omit _id; the path names the object.",
                at: place.member("_id", json)
            )
        }
        let declared = entity(of: object, below: location.resource, at: place)
        writes[index].entity = declared
        if let json = object["_version"] { setVersion(json, place.member("_version", json), of: index) }
        read(object, into: index, of: declared ?? likelyEntity(of: location.resource, object: object))
        return index
    }

    /// Appends a write whose changes are read elsewhere.
    mutating func begin(_ write: ObjectWrite) -> Int {
        writes.append(write)
        return writes.count - 1
    }

    /// Records the version that a change is based on.
    mutating func setVersion(_ json: JSONValue, _ place: BodyPosition, of index: Int) {
        writes[index].baseVersion = version(json, at: place) ?? writes[index].baseVersion
    }

    /// Records the password of an account.
    mutating func setPassword(_ password: NewPassword, of index: Int) {
        writes[index].password = password
        passwordCount += 1
    }

    /// Records the former ID of a new object.
    mutating func keep(_ identity: RetainedReference?, of index: Int) { writes[index].kept = identity }

    mutating func add(_ change: PropertyWrite, to index: Int) { writes[index].changes.append(change) }

    private mutating func version(_ json: JSONValue, at place: BodyPosition) -> Int64? {
        if let version = json.int64, version >= 0 { return version }
        findings.add(.type, "A version must be a non-negative integer, not \(json.summary).", at: place)
        return nil
    }

    private mutating func read(_ object: JSONObject, into index: Int, of resource: Resource) {
        let own = writes[index].place
        writes[index].changes.reserveCapacity(object.members.count)
        for member in object.members where !Self.ownKeys.contains(member.name) {
            let place = own.member(member.name, member.value)
            if accounts?.isPassword(member.name, of: resource.entity) == true {
                readPassword(member.value, of: index, at: place, named: member.name)
                continue
            }
            guard let property = property(member.name, of: resource, at: place) else { continue }
            if let change = change(member.value, of: property, at: place, in: index) {
                writes[index].changes.append(PropertyWrite(property: property, change: change, place: place))
            }
        }
    }

    /// The keys of an object that aren't properties.
    static let ownKeys = ["_id", "_entity", "_version"]

    /// The property of a key, if it is writable.
    private mutating func property(_ name: String, of resource: Resource, at place: BodyPosition) -> ResourceProperty? {
        let entity = resource.described
        guard let property = resource.property(named: name) else {
            let hidden = ResourceProperty.modelName(of: name).flatMap { entity.property(named: $0) }
            if hidden != nil {
                findings.add(.readOnly, "\(entity.name).\(name) is transient, so it isn't stored.", at: place)
            } else {
                findings.add(
                    .unknown,
                    "\(entity.name) has no property “\(name.shortened)”.",
                    hint: resource.hint(for: name, also: Self.ownKeys),
                    at: place
                )
            }
            return nil
        }
        if property.attribute?.isDerived == true {
            findings.add(.readOnly, "\(entity.name).\(name) is derived, and can't be set.", at: place)
            return nil
        }
        guard property.attribute != nil || property.relationship != nil else {
            findings.add(.readOnly, "\(entity.name).\(name) is a fetched property, and can't be set.", at: place)
            return nil
        }
        return property
    }

    /// The entity that an object names.
    private mutating func entity(of object: JSONObject, below resource: Resource, at place: BodyPosition) -> Resource? {
        guard let json = object["_entity"] else { return nil }
        let place = place.member("_entity", json)
        guard let name = json.string, let kind = catalogue.resource(named: name) else {
            let names = catalogue.names
            findings.add(
                .unknown,
                "_entity must be the name of an entity, not \(json.summary).",
                hint: json.string.flatMap { Spelling.hint(for: $0, among: names) },
                at: place
            )
            return nil
        }
        // The object may have a subentity of the path's entity, or a superentity if the client has that from a
        // response.
        guard kind.entity.isKind(of: resource.entity) || resource.entity.isKind(of: kind.entity) else {
            findings.add(
                .identity,
                "\(name) is neither a subentity nor a superentity of \(resource.name).",
                at: place
            )
            return nil
        }
        return kind.entity.isKind(of: resource.entity) ? kind : nil
    }

    /// The first entity with all properties of a body, among the path's entity and its subentities. Reading the object
    /// will show whether it has that entity.
    private func likelyEntity(of resource: Resource, object: JSONObject) -> Resource {
        let kinds = catalogue.model.kinds(of: resource.entity)
        guard kinds.count > 1 else { return resource }
        let names = object.names.filter { !Self.ownKeys.contains($0) }
        return kinds.lazy.map { catalogue[$0] }.first { kind in
            names.allSatisfy {
                kind.property(named: $0) != nil || accounts?.isPassword($0, of: kind.entity) == true
            }
        } ?? resource
    }

    private func hint(_ resource: Resource) -> String {
        let kinds = catalogue.kinds(of: resource).filter { !$0.entity.isAbstract }.map(\.name)
        return "Choose a subentity: \"_entity\" can be \(kinds.joined(separator: ", "))."
    }

    /// Whether a reference names the object of a location, possibly by a superentity or subentity.
    private func isSame(_ json: JSONValue, as location: ObjectLocation) -> Bool {
        guard let other = self.location(json) else { return false }
        return other.key == location.key && other.resource.entity.rootIndex == location.resource.entity.rootIndex
            && (other.store == nil || location.store == nil || other.store == location.store)
    }

    private mutating func temporaryName(of object: JSONObject, at place: BodyPosition) -> (String?, BodyPosition) {
        guard let json = object["_id"] else { return (nil, place) }
        guard let name = json.string, name.hasPrefix("$"), name.utf8.count > 1 else {
            findings.add(
                .identity,
                "The store assigns the ID of a new object; _id can't be \(json.summary).",
                hint: "A temporary name begins with $, as in \"$a\".",
                at: place.member("_id", json)
            )
            return (nil, place)
        }
        var place = place
        place.object = name
        return (name, place)
    }

    /// Records the use of a temporary name.
    mutating func record(_ nameUse: NameUse) { nameUses.append(nameUse) }
}
