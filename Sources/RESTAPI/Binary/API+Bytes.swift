// SPDX-License-Identifier: Apache-2.0

// Reads and writes the bytes of binary attributes in pieces.

import HTTPMessage
import ObjectGraph
import ObjectModel
import Predicates

extension API {
    func execute(_ plan: BytesPlan) throws -> Reply {
        switch plan.action {
        case .read(let request): try content(plan).reply(to: request)
        case .write(let body): try write(plan) { attribute, entity in try stage(body, attribute, entity) }
        case .remove: try write(plan) { _, _ in nil }
        }
    }

    /// The value and its version. Retries if a save comes between reading the version and opening the value.
    private func content(_ plan: BytesPlan) throws -> Content {
        while true {
            try WorkLimits.check()
            let row = try read { reader in try self.row(plan.target, from: reader) }
            let attribute = try plan.attribute(of: row.objectID.entity)
            guard let value = try coordinator.openValue(of: attribute, object: row.objectID) else {
                guard try version(plan.target) == row.version else { continue }
                throw Problem(
                    .notFound,
                    "“\(plan.property.name)” of “\(catalogue.reference(to: row.objectID))” is null."
                )
            }
            guard try version(plan.target) == row.version else { continue }
            let type = try attribute.contentType(ofBytes: value.read(0..<min(value.size, SniffedType.length)))
            let passing = value.holdsState ? options.streamStateTime.map { StreamedValue(value, for: $0) } : nil
            var content = Content(
                length: value.size,
                type: type,
                tag: EntityTag(String(row.version)),
                read: passing.map { $0.read } ?? value.read,
                willRead: passing.map { $0.willRead }
            )
            content.fields = fields(of: attribute, object: row.objectID, type: type)
            return content
        }
    }

    private func version(_ target: ObjectLocation) throws -> Int64 {
        try read { reader in try row(target, from: reader).version }
    }

    /// Fields that keep browsers from executing stored content.
    func fields(of attribute: AttributeDescription, object objectID: ManagedObjectID, type: String) -> HeaderFields {
        let property = catalogue[objectID.entity].name(ofProperty: attribute.name) ?? attribute.name
        let name = "\(catalogue.reference(to: objectID))-\(property)".unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil) ? scalar : "-"
        }
        let file = String(String.UnicodeScalarView(name))
        return [
            .contentDisposition: "\(Self.shownTypes.contains(type) ? "inline" : "attachment"); filename=\"\(file)\"",
            .contentSecurityPolicy: "default-src 'none'; sandbox; frame-ancestors 'none'",
        ]
    }

    /// The types that browsers may show inline; images are harmless.
    private static let shownTypes = ["image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"]

    /// Reads a body and returns the staged value.
    private func stage(
        _ body: IncomingBody,
        _ attribute: AttributeDescription,
        _ entity: EntityDescription
    ) throws -> StagedValue {
        let next = body.pieces()
        do {
            let writer = try coordinator.stageValue(for: attribute, of: entity)
            while let piece = try next() { try writer.append(piece.span) }
            return try writer.finish()
        } catch let error as any CodedStoreError where error.graphCode == .diskFull {
            var problem = Problem(.diskFull, "The store's disk is full.")
            problem.reason = Problem.reason(of: error)
            throw problem
        }
    }

    /// Sets the attribute to the staged value or nil. Without a version in the request, it is retried after conflicts,
    /// so that only this attribute of other writers' saves is overwritten.
    private func write(
        _ plan: BytesPlan,
        _ stage: (AttributeDescription, EntityDescription) throws -> StagedValue?
    ) throws -> Reply {
        let row = try read { reader in try self.row(plan.target, from: reader) }
        if options.requiresPreconditions, plan.conditions.ifMatch == nil {
            throw Problem(
                .preconditionRequired,
                "A change must name the version that it is based on.",
                hint: "Send the object's ETag as If-Match."
            )
        }
        try plan.check(row)
        let objectID = row.objectID
        let attribute = try plan.attribute(of: objectID.entity)
        let staged = try stage(attribute, objectID.entity)
        // The body is complete, so the client's speed no longer matters and a deadline applies.
        let deadline = options.deadline.map { ContinuousClock.now + $0 }
        let limits = WorkLimits(deadline: deadline, isCancelled: WorkLimits.current?.isCancelled)
        let version = try limits.hold { try save(staged, as: attribute, of: objectID, for: plan) }
        var reply = Reply(.none, status: .noContent)
        reply.fields[.etag] = EntityTag(String(version)).description
        return reply
    }

    /// Returns the object's new version.
    private func save(
        _ staged: StagedValue?,
        as attribute: AttributeDescription,
        of objectID: ManagedObjectID,
        for plan: BytesPlan
    ) throws -> Int64 {
        while true {
            do {
                return try coordinator.withContext { context in
                    context.transactionAuthor = author(plan.author)
                    guard let row = try context.snapshots(of: [objectID])[0] else {
                        throw Problem.notFound(plan.target)
                    }
                    try plan.check(row)
                    try context.object(with: objectID).setValue(
                        staged?.value ?? plan.property.stored(.null),
                        of: attribute
                    )
                    if let access { try access.check(attribute, of: context.object(with: objectID), in: self) }
                    try context.save()
                    return try context.snapshots(of: [objectID])[0]?.version ?? row.version
                }
            } catch let error as GraphError where error.code == .conflict {
                try WorkLimits.check()
            }
        }
    }
}

extension BytesPlan {
    /// The attribute of the object's own entity.
    func attribute(of entity: EntityDescription) throws(Problem) -> AttributeDescription {
        guard let name = property.attribute?.name, let attribute = entity.attribute(named: name) else {
            throw Problem(.notFound, "\(entity.name) has no property “\(property.name)”.")
        }
        return attribute
    }

    /// - Parameter draft: The row's object in an editing context.
    func check(_ row: Snapshot, draft: ManagedObject? = nil) throws(Problem) {
        let tag = draft == nil ? EntityTag(String(row.version)) : row.draftTag()
        if let expected = conditions.ifMatch {
            let isNamed =
                draft.map { expected.names(draft: row, isEdited: $0.hasChanges) } ?? expected.names(row.version)
            guard isNamed else {
                throw Problem(
                    .precondition,
                    "The current version isn't the one that If-Match names.",
                    hint: "Its ETag is \(tag)."
                )
            }
        }
        let hasBytes = row.row.attributes[try attribute(of: row.objectID.entity).slot] != .null
        if let known = conditions.ifNoneMatch, known.matchesWeakly(hasBytes ? tag : nil) {
            throw Problem(.precondition, "The value exists already, and If-None-Match excludes its version.")
        }
    }
}

extension AttributeDescription {
    /// The media type of a value: that of the model, or else the one by which its bytes begin.
    func contentType(ofBytes start: @autoclosure () throws -> [UInt8]) rethrows -> String {
        if let type = attribute.userInfo["contentType"].flatMap(MediaType.init)?.description { return type }
        return try SniffedType.of(start()) ?? "application/octet-stream"
    }
}
