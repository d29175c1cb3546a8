// SPDX-License-Identifier: Apache-2.0

// The endpoints of entities, objects, properties, transactions and queries.

import HTTPMessage
import JSON
import ObjectGraph

extension APIEndpoint {
    /// All endpoints by tag, in the order of the OpenAPI document. Endpoints of entities are tagged with the entities'
    /// names.
    static let areas: [(tag: String?, endpoints: [APIEndpoint])] = [
        (nil, entities + objects + properties + [objectHistory]), ("Transactions", [transaction]),
        ("Queries", [queries, query]), ("Editing contexts", contexts), ("History", history), ("Hooks", hooks),
        ("Accounts", accounts), ("Access", access), ("Server", server),
    ]

    /// The endpoints that also exist below an editing context, with its path in the place of `/api`.
    static let areasInContexts: [(tag: String?, endpoints: [APIEndpoint])] = [
        (nil, entities + objects + properties), ("Transactions", [transaction]), ("Queries", [query]),
    ]

    private static let entities = [
        APIEndpoint("GET /api/{entity} fetch{entity}: Fetch objects", .list, counts: .fetch) {
            .fetch(try FetchPlan($0, of: $0.path.resource, in: $1))
        },
        APIEndpoint(
            "POST /api/{entity} create{entity}: Create an object, or several in one save",
            Contract(
                parameters: [.dryRun, .prefer],
                body: .newObjects,
                answers: [.written, .created, .nothing],
                admission: .byRules
            ),
            counts: .create
        ) { .write(try WritePlanner($0, of: $1).creation(of: $0.path.resource)) },
        APIEndpoint("GET /api/{entity}/live watch{entity}: Watch objects as they change", .live, counts: .fetch) {
            .live(try LivePlan($0, of: $0.path.resource, in: $1), after: $0.fields["Last-Event-ID"])
        },
        APIEndpoint(
            "POST /api/{entity}/fetch fetch{entity}ByBody: Fetch objects, with the options in a body",
            Contract(
                parameters: .undescribed,
                body: .json { $0.reference(SharedSchema.fetch) },
                answers: [.list],
                changes: .nothing,
                admission: .byRules
            ),
            counts: .fetch
        ) { .fetch(try FetchPlan(body: $0, of: $0.path.resource, in: $1)) },
        APIEndpoint(
            "POST /api/{entity}/batch-insert batchInsert{entity}: Insert rows directly into the store | Insert rows",
            Contract(
                parameters: Contract.Parameter.batchInsert,
                body: .rows,
                answers: [.batch],
                work: .rows,
                admission: .byRules
            ),
            counts: .batchInsert
        ) { .batch(try BatchPlan(inserting: $0, of: $0.path.resource, in: $1)) },
        APIEndpoint(
            "POST /api/{entity}/batch-update batchUpdate{entity}: Change objects directly in the store | Change many objects",
            .batch(.json { $0.reference(.batchUpdate) }, insteadOf: (.patch, "change")),
            counts: .batchUpdate
        ) { .batch(try BatchPlan(updating: $0, of: $0.path.resource, in: $1)) },
        APIEndpoint(
            "POST /api/{entity}/batch-delete batchDelete{entity}: Delete objects directly in the store | Delete many objects",
            .batch(.json { $0.reference(.batchDelete) }, insteadOf: (.delete, "delete")),
            counts: .batchDelete
        ) { .batch(try BatchPlan(deleting: $0, of: $0.path.resource, in: $1)) },
    ]

    private static let objects = [
        APIEndpoint("GET /api/{entity}/{key} get{entity}: Read an object", .objectInTime, counts: .read) {
            .object(try ObjectPlan($0, of: $0.path.location, in: $1))
        },
        APIEndpoint(
            "PATCH /api/{entity}/{key} update{entity}: Change an object with a merge patch",
            .change(.mergePatch),
            counts: .update
        ) { .write(try WritePlanner($0, of: $1).change(.update($0.path.location))) },
        APIEndpoint(
            "PUT /api/{entity}/{key} replace{entity}: Replace an object",
            .change(.json { $0.reference(.replace) }),
            counts: .replace
        ) { .write(try WritePlanner($0, of: $1).change(.replace($0.path.location))) },
        APIEndpoint(
            "DELETE /api/{entity}/{key} delete{entity}: Delete an object by its delete rules",
            .change(answers: [.deleted, .nothing]),
            counts: .delete
        ) { .write(try WritePlanner($0, of: $1).deletion(of: $0.path.location)) },
    ]

    private static let properties = [
        APIEndpoint(
            "GET /api/{entity}/{key}/{bytes} get{entity}{property}: Read the bytes of {property}",
            Contract(
                parameters: [.range, .ifNoneMatch, .ifMatch],
                answers: [.bytes("All bytes", status: 200), .bytes("The requested ranges", status: 206), .unchanged],
                work: .transfer,
                admission: .byRules
            ),
            counts: .readBytes
        ) { request, _ in
            .bytes(try BytesPlan(request, to: .read(ContentRequest(request.method, fields: request.fields))))
        },
        APIEndpoint(
            "PUT /api/{entity}/{key}/{bytes} set{entity}{property}: Set the bytes of {property}",
            .storedBytes(.bytes),
            counts: .writeBytes
        ) { request, api in
            .bytes(
                try BytesPlan(request, to: .write(IncomingBody(request.body, limit: api.options.streamedBodyLimit)))
            )
        },
        APIEndpoint(
            "DELETE /api/{entity}/{key}/{bytes} delete{entity}{property}: Clear {property}",
            .storedBytes(.none),
            counts: .writeBytes
        ) { request, _ in .bytes(try BytesPlan(request, to: .remove)) },
        APIEndpoint(
            "GET /api/{entity}/{key}/{to-one} get{entity}{property}: Read {property}",
            .object,
            counts: .traverse
        ) {
            .object(try ObjectPlan($0, along: $0.path.property, of: $0.path.location, in: $1))
        },
        APIEndpoint(
            "PUT /api/{entity}/{key}/{to-one} set{entity}{property}: Set {property}",
            .change(.json { $0.relatedObjects }),
            counts: .relate
        ) { .write(try WritePlanner($0, of: $1).assignment(of: $0.path.property, at: $0.path.location)) },
        APIEndpoint(
            "GET /api/{entity}/{key}/{to-many} get{entity}{property}: Read {property}",
            .list,
            counts: .traverse
        ) {
            .fetch(try FetchPlan($0, along: $0.path.property, of: $0.path.location, in: $1))
        },
        APIEndpoint(
            "PUT /api/{entity}/{key}/{to-many} set{entity}{property}: Set {property}",
            .change(.json { $0.relatedObjects }),
            counts: .relate
        ) { .write(try WritePlanner($0, of: $1).assignment(of: $0.path.property, at: $0.path.location)) },
        APIEndpoint(
            "POST /api/{entity}/{key}/{to-many} add{entity}{property}: Add to {property}",
            .change(.json { $0.addedObjects }, answers: [.written, .created, .nothing]),
            counts: .relate
        ) { .write(try WritePlanner($0, of: $1).addition(to: $0.path.property, at: $0.path.location)) },
        APIEndpoint(
            "PUT /api/{entity}/{key}/{to-many}/{target} add{entity}{property}Member: Add one object to {property}",
            .change(also: [.at]),
            counts: .relate
        ) { .write(try WritePlanner($0, of: $1).placing(in: $0.path.property, at: $0.path.location)) },
        APIEndpoint(
            "DELETE /api/{entity}/{key}/{to-many}/{target} remove{entity}{property}Member: Remove one object from {property}",
            .change(),
            counts: .relate
        ) { .write(try WritePlanner($0, of: $1).removal(from: $0.path.property, at: $0.path.location)) },
        APIEndpoint(
            "GET /api/{entity}/{key}/{fetched} get{entity}{property}: Fetch {property}",
            .list,
            counts: .traverse
        ) { .fetch(try FetchPlan($0, along: $0.path.property, of: $0.path.location, in: $1)) },
    ]

    private static let transaction = APIEndpoint(
        "POST /api/transaction transact: Perform several operations in one save",
        Contract(
            parameters: [.dryRun, .prefer],
            body: .json { $0.reference(.transaction) },
            answers: [.json(.transactionAnswer, "The result"), .nothing],
            problems: [.notFound],
            admission: .byRules
        ),
        counts: .transaction
    ) { .write(try WritePlanner($0, of: $1).transaction()) }

    private static let queries = APIEndpoint(
        "GET /api/queries listQueries: List the model's named queries",
        Contract(answers: [.json(.queries, "All queries")], admission: .byRules)
    ) { _, _ in .answer { api, _ in Reply(.json(api.queries)) } }

    private static let query = APIEndpoint("GET /api/queries/{query} query{query}: Run {query}", .list, counts: .query)
    {
        .fetch(try FetchPlan($0, template: $0.path.name, in: $1))
    }
}
