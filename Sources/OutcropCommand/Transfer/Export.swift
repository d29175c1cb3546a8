// SPDX-License-Identifier: Apache-2.0

// Export of objects from a store or a server.

import Files
import HTTPMessage
import ObjectGraph

/// An export in a format.
struct Export {
    let endpoint: any Endpoint
    let format: TransferFormat
    /// The query parameters for an export of one entity.
    let query: [(name: String, value: String?)]
    let interruption = Interruption()

    /// Writes the objects of the given entities and their subentities, or, without entities, everything that an
    /// import needs to recreate all objects.
    ///
    /// - Returns: The number of objects, and of dangling references.
    func run(
        _ entities: [EntityDescription]?,
        write: ([UInt8]) throws -> Void,
        progress: (Int) -> Void
    ) throws -> Result {
        guard let local = endpoint as? LocalEndpoint else { return try all(entities, write: write, progress) }
        return try local.coordinator.withSharedQueryGeneration { try all(entities, write: write, progress) }
    }

    private func all(
        _ entities: [EntityDescription]?,
        write: ([UInt8]) throws -> Void,
        _ progress: (Int) -> Void
    ) throws -> Result {
        var records = RecordCount(hasQuotes: format == .csv)
        var array = format == .json ? ArrayWriter() : nil
        var lost: LostReferenceWriter?
        for (entity, target) in targets(entities) {
            let found = try LostReferences(of: kinds(entity, among: entities), among: selectedNames, at: endpoint)
            if !found.isEmpty {
                if lost == nil { lost = LostReferenceWriter(found, format: format) } else { lost?.begin(found) }
            }
            let request = HTTPRequest(.get, target, fields: [.accept: format.mediaType])
            let answer = try endpoint.send(request) { piece in
                try interruption.check()
                records.add(piece)
                let bytes = try found.isEmpty ? piece : lost?.bytes(adding: piece) ?? piece
                try write(array?.bytes(adding: bytes) ?? bytes)
                progress(records.count)
            }
            guard answer.isSuccess else { throw answer.failure("The objects can't be read") }
        }
        if let array { try write(array.end) }
        let count = format == .csv ? max(0, records.count - 1) : records.count
        return Result(count: count, nulls: lost?.count ?? 0, remark: remark(lost))
    }

    private func remark(_ lost: LostReferenceWriter?) -> String? {
        let remarks = [lost?.remark, endpoint.restriction].compactMap(\.self)
        return remarks.isEmpty ? nil : remarks.joined(separator: "\n")
    }

    struct Result {
        let count: Int
        /// The number of dangling references, which were written as null.
        let nulls: Int
        let remark: String?
    }

    /// The entities whose objects are written with those of an entity: only that one if all are exported.
    private func kinds(_ entity: EntityDescription, among entities: [EntityDescription]?) -> [EntityDescription] {
        let own = Set(endpoint.entities)
        return entities == nil ? [entity] : endpoint.model.kinds(of: entity).filter(own.contains)
    }

    /// The selected properties, or nil for all.
    private var selectedNames: Set<String>? {
        let selection = query.first { $0.name == "select" }?.value
        return selection.map { Set($0.split(separator: ",").map { String($0.filter { $0 != " " }) }) }
    }

    /// Counts lines that don't end within quotes.
    private struct RecordCount {
        let hasQuotes: Bool
        var count = 0
        private var isQuoted = false

        init(hasQuotes: Bool) { self.hasQuotes = hasQuotes }

        mutating func add(_ piece: [UInt8]) {
            for byte in piece {
                if hasQuotes, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == UInt8(ascii: "\n"), !isQuoted { count += 1 }
            }
        }
    }

    private func targets(_ entities: [EntityDescription]?) -> [(EntityDescription, String)] {
        if let entities {
            let items = query.compactMap { item in item.value.map { (item.name, $0) } }
            return entities.map { ($0, Self.target($0, query: items)) }
        }
        return endpoint.entitiesInDependencyOrder.map { entity in
            let names = entity.exportedNames(in: endpoint.model)
            let items = names.isEmpty ? [] : [("select", names.joined(separator: ","))]
            return (entity, Self.target(entity, query: items + [("includeSubentities", "false")]))
        }
    }

    private static func target(_ entity: EntityDescription, query items: [(String, String)]) -> String {
        let query = items.map { "\($0)=\(RequestTarget.encode(queryValue: $1))" }.joined(separator: "&")
        return "/api/\(RequestTarget.encode(segment: entity.name))" + (query.isEmpty ? "" : "?\(query)")
    }
}

extension Endpoint {
    /// The entities with destinations first as far as possible, so that an import has few forward references.
    fileprivate var entitiesInDependencyOrder: [EntityDescription] {
        var known: Set<EntityDescription> = []
        var order: [EntityDescription] = []
        func add(_ entity: EntityDescription) {
            guard known.insert(entity).inserted else { return }
            for relationship in entity.relationships where relationship.determinesPairs(in: model) {
                model.kinds(of: model.destination(of: relationship)).forEach(add)
            }
            order.append(entity)
        }
        entities.forEach(add)
        let own = Set(entities)
        return order.filter(own.contains)
    }
}

/// A file that appears under its name only when it is complete.
struct ExportFile {
    private let path: String

    init(_ path: String) { self.path = path }

    func make<Result>(_ body: (OpenFile) throws -> Result) throws -> Result {
        let temporary = path + ".part"
        do {
            let file = try OpenFile(writing: temporary, existing: .truncate)
            let result = try body(file)
            try file.sync()
            try FileSystem.rename(temporary, to: path)
            return result
        } catch {
            try? FileSystem.remove(temporary)
            if error is Interruption.Requested {
                throw Failure("The export was interrupted; nothing was written.", status: Interruption.status)
            }
            guard let error = error as? FileError else { throw error }
            throw Failure("The file can't be written: \(error.reason).", code: "export.file", file: path)
        }
    }
}
