// SPDX-License-Identifier: Apache-2.0

// Renders replies, the last of the four steps.

import HTTPMessage
import JSON
import ObjectGraph

extension API {
    func render(_ reply: Reply, under limits: WorkLimits = WorkLimits()) throws(Problem) -> HTTPResponse {
        var response = HTTPResponse(reply.status, fields: reply.fields)
        switch reply.content {
        case .none: break
        case .object(let object):
            var buffer = JSONBuffer()
            buffer.limit = options.answerLimit
            buffer.write(object, in: catalogue)
            if buffer.isFull { throw .answerTooLarge(options.answerLimit) }
            // A version doesn't say whether an identity can read what the object refers to.
            let isVariable = access?.restrictsReferences(of: object.row.objectID.entity) ?? false
            let isWhole = object.shape.isWhole && !reply.hasVariableObject && !isVariable
            let tag =
                contexts == nil
                ? object.row.draftTag(with: buffer.bytes).description
                : isWhole ? object.row.tag(of: object.shape) : object.row.tag(with: buffer.bytes)
            if reply.known?.matchesWeakly(EntityTag(parsing: tag)) == true { return .unchanged(tag) }
            response.fields[.etag] = tag
            response.set(buffer.bytes, type: "application/json")
        case .list(let list):
            var buffer = JSONBuffer(capacity: 16 << 10)
            buffer.limit = options.answerLimit
            do throws(GraphError) {
                try buffer.write(list, in: catalogue, under: limits)
            } catch {
                throw Problem(error, in: catalogue)
            }
            if buffer.isFull { throw .answerTooLarge(options.answerLimit) }
            if let next = list.next { response.fields.add(.link, "<\(next)>; rel=\"next\"") }
            response.set(buffer.bytes, type: "application/json")
        case .written(let written):
            var buffer = JSONBuffer()
            buffer.write(written, in: catalogue)
            response.set(buffer.bytes, type: "application/json")
        case .table(let table):
            var buffer = JSONBuffer(capacity: 16 << 10)
            buffer.limit = options.answerLimit
            buffer.write(table, in: self)
            if buffer.isFull { throw .answerTooLarge(options.answerLimit) }
            if let next = table.next { response.fields.add(.link, "<\(next)>; rel=\"next\"") }
            response.set(buffer.bytes, type: "application/json")
        case .json(let value): response.set(value.serializedBytes(), type: "application/json")
        case .bytes(let bytes, let type): response.set(bytes, type: type)
        case .feed(let start):
            response.fields[.contentType] = "text/event-stream"
            response.body = .feed(start)
        case .stream(let type, let length, let write):
            response.fields[.contentType] = type
            response.body = .stream(length: length, write)
        }
        return response
    }
}

extension HTTPResponse {
    /// A “not modified” response.
    static func unchanged(_ tag: String) -> HTTPResponse { HTTPResponse(.notModified, fields: [.etag: tag]) }

    mutating func set(_ bytes: [UInt8], type: String) {
        fields[.contentType] = type
        body = .bytes(bytes)
    }
}

extension Problem {
    /// The answer would take too much memory.
    static func answerTooLarge(_ limit: Int) -> Problem {
        var problem = Problem(
            .tooLarge,
            "The answer is larger than the limit of \(limit) bytes.",
            hint: "Request fewer objects with “limit”, or less of each with “select”; NDJSON has no limit."
        )
        problem.extras["limit"] = "answerLimit"
        return problem
    }

    var response: HTTPResponse {
        var response = HTTPResponse(status, fields: fields)
        response.set(json.serializedBytes(), type: "application/problem+json")
        return response
    }
}

extension JSONBuffer {
    fileprivate mutating func write(
        _ list: ListDTO,
        in catalogue: Catalogue,
        under limits: WorkLimits
    ) throws(GraphError) {
        write(raw: "{\"items\":")
        switch list.items {
        case .objects(let objects):
            write(byte: "[")
            for (offset, object) in objects.enumerated() {
                if offset.isMultiple(of: 16) { try limits.check() }
                if offset > 0 { write(byte: ",") }
                write(object, in: catalogue)
            }
            write(byte: "]")
        case .rows(let rows): try write(rows, in: catalogue) { () throws(GraphError) in try limits.check() }
        case .references(let references): write(references: references, in: catalogue)
        }
        if let total = list.total {
            write(raw: ",\"total\":")
            write(Int64(total))
        }
        write(raw: ",\"next\":")
        if let next = list.next { write(string: next) } else { writeNull() }
        write(byte: "}")
    }
}
