// SPDX-License-Identifier: Apache-2.0

// The problem with a write that the rules don't permit.

import Identities
import JSON
import ObjectGraph

/// Says what isn't permitted.
///
/// 1. Objects that the identity can't read aren't named, and their number isn't told. The relationship by which they would
///    change is named if it is one of an object that can be read.
/// 2. Nothing says which condition failed, except to administrators.
struct AccessRefusal {
    private let write: AppliedWrite
    private let denials: [AccessDenial]
    /// The writes by their objects.
    private let writes: [ManagedObjectID: Int]

    private var context: ManagedObjectContext { write.context }
    private var catalogue: Catalogue { write.api.catalogue }

    init(of write: AppliedWrite, for denials: [AccessDenial]) {
        self.write = write
        self.denials = denials
        writes = write.objects.writes
    }

    func problem() throws -> Problem {
        let named = Set(writes.keys)
        let causes = try denials.map { denial -> AccessDenial.Cause? in
            named.contains(denial.object.objectID) ? nil : try denial.cause(in: context, naming: named)
        }
        let hidden = try hidden(among: denials.map(\.object) + causes.compactMap { $0?.partner })
        let details = OrderedMembers(zip(denials, causes).map { detail($0, $1, hiding: hidden) }).members
        let first = details.count == 1 ? details.first : nil
        var problem = Problem(
            .forbidden,
            first.flatMap { detail in detail.object.map { "\($0): \(detail.message)" } }
                ?? "The access rules don't permit the changes.",
            hint: zip(denials, causes).lazy.compactMap { hint(for: $0, $1) }.first
        )
        problem.errors = details
        problem.omitErrors()
        if let access = write.api.access, access.isExplained {
            problem.explain(by: try denials.map { try access.explanation(of: $0, named: name(of: $0.object)) })
        }
        return problem
    }

    /// The stored objects among some that the identity can't read.
    private func hidden(among objects: [ManagedObject]) throws -> Set<ManagedObjectID> {
        let stored = objects.map(\.objectID).filter { !$0.isTemporary }
        let rows = try write.api.narrowed(context.committedReader).snapshots(of: stored)
        return Set(zip(stored, rows).filter { $0.1 == nil }.map(\.0))
    }

    // MARK: Details

    private func detail(
        _ denial: AccessDenial,
        _ cause: AccessDenial.Cause?,
        hiding hidden: Set<ManagedObjectID>
    ) -> Problem.Detail {
        var known: KnownCause?
        if let cause, !hidden.contains(cause.partner.objectID) { known = self.known(cause, of: denial.object.entity) }
        guard hidden.contains(denial.object.objectID) else { return detail(denial, along: known) }
        return known.flatMap { hiddenDetail(denial, along: $0) } ?? .ofHidden
    }

    private func detail(_ denial: AccessDenial, along cause: KnownCause?) -> Problem.Detail {
        let object = denial.object
        var detail = Problem.Detail(object: name(of: object), code: "forbidden", message: "")
        switch denial.act {
        case .property(let property):
            detail.property = catalogue[object.entity].name(ofProperty: property)
            detail.message =
                detail.property.map { "“\($0)” can't be written." } ?? "Something else of it can't be written."
            detail.extras = extras(of: property, of: object)
        case .verb(let verb):
            detail.message = message(verb)
            detail.extras = writes[object.objectID].map { write.plan.writes[$0].place.extras } ?? JSONObject()
            if verb == .delete, let cause, let relationship = cause.relationship {
                detail.message =
                    "It would be deleted along with \(cause.partner), by “\(relationship)”, "
                    + "and the access rules don't permit that."
            } else if verb == .update, let inverse = cause?.inverse {
                detail.property = inverse
                detail.message = "Its “\(inverse)” would change, and the access rules don't permit that."
            }
        }
        return detail
    }

    /// For an object that the identity can't read, along with one that it can. Nil if it can't read the relationship.
    private func hiddenDetail(_ denial: AccessDenial, along cause: KnownCause) -> Problem.Detail? {
        guard let relationship = cause.relationship else { return nil }
        let isDeletion = if case .verb(.delete) = denial.act { true } else { false }
        return Problem.Detail(
            object: cause.partner,
            property: relationship,
            code: "forbidden",
            message: "Another object of “\(relationship)” can't be \(isDeletion ? "deleted" : "changed").",
            extras: cause.extras
        )
    }

    private func message(_ verb: AccessVerb) -> String {
        switch verb {
        case .read: "It can't be read."
        case .create: "It can't be created like this."
        case .update: "It can't be changed like this."
        case .delete: "It can't be deleted."
        }
    }

    private func hint(for denial: AccessDenial, _ cause: AccessDenial.Cause?) -> String? {
        guard case .verb(let verb) = denial.act, writes[denial.object.objectID] == nil else { return nil }
        if verb == .delete || cause?.partner.isDeleted == true {
            return
                "A deletion needs “delete” for the objects that it deletes along, and “update” for those that refer to "
                + "the deleted ones."
        }
        return "A change of a relationship needs “update” for each object that would refer to another one, or to none."
    }

    // MARK: Names

    /// The names of a cause; nil for relationships that the identity can't read.
    private struct KnownCause {
        let partner: String
        let relationship: String?
        let inverse: String?
        let extras: JSONObject
    }

    private func known(_ cause: AccessDenial.Cause, of entity: EntityDescription) -> KnownCause? {
        name(of: cause.partner).map { partner in
            KnownCause(
                partner: partner,
                relationship: catalogue[cause.partner.entity].name(ofProperty: cause.relationship.name),
                inverse: catalogue[entity].name(ofProperty: cause.inverse.name),
                extras: extras(of: cause.relationship.name, of: cause.partner)
            )
        }
    }

    private func name(of object: ManagedObject) -> String? {
        if !object.objectID.isTemporary { return catalogue.reference(to: object.objectID) }
        return writes[object.objectID].map { write.plan.writes[$0].place.object } ?? catalogue[object.entity].name
    }

    /// The place of a property in the request.
    private func extras(of property: String, of object: ManagedObject) -> JSONObject {
        let change = writes[object.objectID].flatMap { index in
            write.plan.writes[index].changes.first { $0.property.property.name == property }
        }
        return change?.place.extras ?? JSONObject()
    }
}

extension Problem.Detail {
    /// For an object that the identity can't read.
    fileprivate static let ofHidden = Problem.Detail(
        code: "forbidden",
        message: "Another object can't be changed or deleted."
    )
}
