// SPDX-License-Identifier: Apache-2.0

// The table of all settings.

import Arguments
import HTTPServer
import RESTAPI

extension Setting {
    /// In the order of help, documentation and the default file.
    static let all = data + listening + tls + access + api + limits + logging

    private static let data = [
        Setting(
            "model",
            \.model,
            .text("FILE"),
            in: .data,
            defaultDescription: "the first store's own model, or the demo model",
            completion: ModelFiles.completion,
            "The data model: an .xcdatamodeld, an .xcdatamodel, a compiled model, or JSON."
        ),
        Setting(
            "store",
            each: \.stores,
            .store,
            in: .data,
            defaultDescription:
                "beside the model, such as App.sqlite for App.xcdatamodeld; for the demo in ~/.local/share/outcrop",
            completion: StoreFiles.completion,
            "The store: sqlite:App.sqlite, memory:, xml:App.xml, binary:App.bin, or the path of a store, which is SQLite if it is new. "
                + "Configuration=STORE puts one configuration of the model in that store."
        ),
        Setting("readOnly", \.readOnly, in: .data, "Never write to the stores."),
        Setting(
            "synchronous",
            \.synchronous,
            .choice("MODE"),
            in: .data,
            "When a save is durable: with full it survives a power failure, with normal only the end of the process."
        ),
        Setting(
            "replacedStore",
            \.replacedStore,
            .choice("MODE"),
            in: .data,
            "What happens if a SQLite store's file is replaced: refuse all saves, or open the new file if it is "
                + "a copy of the store, such as a backup."
        ),
        Setting(
            "migrate",
            \.migrate,
            .choice("MODE"),
            in: .data,
            "What happens to a store of another version of the model: no refuses it, auto migrates it if that can be "
                + "inferred and loses nothing, and recreate moves it aside and begins an empty one, for a cache."
        ),
        Setting(
            "allowModelChanges",
            \.allowModelChanges,
            in: .data,
            "Let every client change the model with POST /api/model, which migrates the stores if nothing is lost; with access, "
                + "those who administer."
        ),
        Setting(
            "history",
            \.history,
            .choice("MODE"),
            in: .data,
            "Whether the changes of each save are recorded: automatic in stores that Core Data hasn't "
                + "made, and in those that have a history; on; or off, which removes a store's history "
                + "with the next save."
        ),
        Setting(
            "historyAge",
            \.historyAge,
            .duration,
            in: .data,
            "How long changes stay in the history."
        ),
        Setting(
            "historyLimit",
            \.historyLimit,
            .count(0...Int.max),
            in: .data,
            "The number of changes that the history keeps."
        ),
        Setting(
            "historyConsumerAge",
            \.historyConsumerAge,
            .duration,
            in: .data,
            "How long a consumer that doesn't report keeps what it hasn't read in the history."
        ),
        Setting(
            "historyConsumerLimit",
            \.historyConsumerLimit,
            .count(0...Int.max),
            in: .data,
            "The number of changes that the history keeps for a consumer that hasn't read them."
        ),
        Setting(
            "backup",
            \.backup,
            .text("DIR"),
            in: .data,
            defaultDescription: "none",
            "A folder for dated backups of the stores, each in a folder of its own. The server makes them while it serves, "
                + "and checks each one."
        ),
        Setting(
            "backupEvery",
            \.backupEvery,
            .duration,
            in: .data,
            "How often a backup is made, counted from the last one in the folder."
        ),
        Setting(
            "backupKeep",
            \.backupKeep,
            .count(1...Int.max),
            in: .data,
            "The number of backups of each store to keep; older ones are removed after a new one is complete."
        ),
        Setting(
            "hooks",
            \.hooks,
            .text("FILE"),
            in: .data,
            defaultDescription: "none",
            completion: .file(["json"]),
            "A JSON file of webhooks, which receive the changes in the history."
        ),
        Setting(
            "hookHosts",
            each: \.hookHosts,
            .hookHost,
            in: .data,
            defaultDescription: "none, so each webhook's host must be given",
            "The hosts that webhooks may send to, such as localhost:9000, so that no file can make the server send data "
                + "anywhere else; without a port, any port."
        ),
        Setting(
            "hookFolder",
            \.hookFolder,
            .text("DIR"),
            in: .data,
            defaultDescription: "beside the first store that is a file, with its name and -hooks",
            completion: .directory,
            "The folder for dead letters and states of webhooks, so that they survive a restart."
        ),
        Setting(
            "hookCa",
            \.hookCA,
            .text("FILE"),
            in: .data,
            defaultDescription: "none",
            completion: .file(["pem", "crt"]),
            "Certificates, in PEM, of authorities whose receivers of webhooks are trusted in addition to the system's."
        ),
        Setting(
            "rowCache",
            \.rowCache,
            .bytes,
            in: .data,
            "Memory for rows read from stores on disk; the most recently used rows stay."
        ),
        Setting(
            "demo",
            \.demo,
            in: .data,
            "Fill empty stores with generated data, to try the server."
        ),
        Setting(
            "demoSize",
            \.demoSize,
            .count(1...100_000_000),
            in: .data,
            "The approximate number of objects in the demo. The default is small enough to be generated at once."
        ),
        Setting(
            "demoSeed",
            \.demoSeed,
            .count(0...Int.max),
            in: .data,
            "Selects the demo's data; the same number always generates the same data."
        ),
    ]

    private static let listening = [
        Setting(
            "listen",
            each: \.listen,
            .address,
            in: .listening,
            "Where to listen: an address with a port, unix:PATH, or systemd for inherited sockets. The default "
                + "accepts connections only from this machine; port 0 is any free port."
        ),
        Setting(
            "allowAnonymous",
            \.allowAnonymous,
            in: .listening,
            "Listen on addresses that other machines can reach, although every client may then read and write all data. "
                + "Not needed with access."
        ),
        Setting(
            "hostNames",
            each: \.api.hostNames,
            .host,
            in: .listening,
            defaultDescription: "loopback names on listeners that only this machine reaches, any name on others",
            "The names by which clients address the server. Requests for any other name are refused, because a "
                + "page of another site may have sent them; * allows any."
        ),
        Setting(
            "cors",
            each: \.api.allowedOrigins,
            .origin,
            in: .listening,
            defaultDescription: "none",
            "The origins of other sites whose pages may read and write, such as https://app.example; * allows any."
        ),
        Setting(
            "public",
            \.publicFolder,
            .text("DIR"),
            in: .listening,
            defaultDescription: "the console, which is part of the program",
            completion: .directory,
            "A folder of pages that are served at / instead of the console."
        ),
        Setting("noConsole", \.noConsole, in: .listening, "Serve the API alone, without pages."),
        Setting(
            "loops",
            \.loops,
            .count(1...1_024),
            in: .listening,
            defaultDescription: "one for each core",
            "Threads that read requests, answer from memory or by short reads, and send."
        ),
        Setting(
            "workers",
            \.workers,
            .count(1...4_096),
            in: .listening,
            defaultDescription: "two for each core, but at least four, and one more",
            "Threads for requests that may wait for a disk. Requests that wait for a commit aren't counted: up to 64 "
                + "more threads are started for others meanwhile."
        ),
        Setting(
            "workersPerClient",
            \.workersPerClient,
            .count(1...4_096),
            in: .listening,
            defaultDescription: "all but one",
            "Threads of each kind that one address may use: for requests that may wait for locks, and for those "
                + "that don't. In total it may use as many plus the spare ones, half as many as there are workers, "
                + "and half of the queue. The number of workers is no limit, as is needed behind a proxy."
        ),
        Setting(
            "streamWorkers",
            \.streamWorkers,
            .count(1...4_096),
            in: .listening,
            "Threads for streamed requests and answers, so that long ones don't delay the others."
        ),
        Setting(
            "drainTime",
            \.drainTime,
            .duration,
            in: .listening,
            "How long running requests and deliveries of webhooks may continue after the server is told to stop."
        ),
    ]

    private static let api = [
        Setting(
            "pageSize",
            \.api.pageSize,
            .count(),
            in: .api,
            "Objects on a page if the request doesn't say; at most maximumPageSize."
        ),
        Setting(
            "maximumPageSize",
            \.api.maximumPageSize,
            .count(),
            in: .api,
            "Objects that a page may have, so that no answer fills the memory."
        ),
        Setting(
            "bodyLimit",
            \.bodyLimit,
            .bytes,
            in: .api,
            "The size of a body that is held in memory; streamed bodies may be larger."
        ),
        Setting(
            "bodyValues",
            \.api.bodyValueLimit,
            .count(),
            in: .api,
            "JSON values in such a body, or in one row of a batch insert; each takes far more memory than its text."
        ),
        Setting(
            "bodyObjects",
            \.api.bodyObjectLimit,
            .count(),
            in: .api,
            "Objects that a body may create, change, delete or refer to; batch-insert has no such limit."
        ),
        Setting(
            "answerLimit",
            \.api.answerLimit,
            .bytes,
            in: .api,
            "The size of an answer that is assembled in memory; NDJSON, CSV and the bytes of attributes are streamed."
        ),
        Setting(
            "requestMemory",
            \.api.readLimit,
            .bytes,
            in: .api,
            "Memory for the rows that one request reads, without values in files; a stream reads that much at a time."
        ),
        Setting(
            "deadline",
            \.deadline,
            .duration,
            in: .api,
            "How long a request may use the stores, so that no query occupies a worker for ever; 0 s is no limit."
        ),
        Setting(
            "batchDeadline",
            \.batchDeadline,
            .duration,
            in: .api,
            "How long a batch may use the stores; 0 s is no limit."
        ),
        Setting(
            "requirePreconditions",
            \.api.requiresPreconditions,
            in: .api,
            "Refuse changes that don't name the version that they are based on, so that no client overwrites "
                + "changes that it hasn't seen."
        ),
        Setting(
            "streamStateTime",
            \.streamStateTime,
            .duration,
            in: .api,
            "How long a streamed list or value is read from one state of the stores, so that logs stay small. "
                + "After that, a list continues in the newest state, a value from a temporary file; 0 s is no "
                + "limit."
        ),
        Setting(
            "loopTime",
            \.api.loopTime,
            .duration,
            in: .api,
            "How long a thread that receives requests reads an object or a short page itself before it leaves it to a "
                + "worker; 0 s leaves all reads to workers, as may be better with a slow disk."
        ),
        Setting(
            "contexts",
            \.api.maximumContexts,
            .count(),
            in: .api,
            "Editing contexts that may be open at once; each takes memory."
        ),
        Setting(
            "contextIdleTime",
            \.api.contextIdleTime,
            .duration,
            in: .api,
            "How long an editing context is kept without a request."
        ),
        Setting(
            "contextMemory",
            \.api.contextMemoryLimit,
            .bytes,
            in: .api,
            "Memory for the pending changes of one editing context, undo included."
        ),
        Setting(
            "contextsMemory",
            \.api.contextsMemoryLimit,
            .bytes,
            in: .api,
            "Memory for the pending changes of all editing contexts together. The least recently used contexts "
                + "are moved to their files; if that isn't enough, changes are 503."
        ),
        Setting(
            "contextFolder",
            \.contextFolder,
            .text("DIR"),
            in: .api,
            defaultDescription: "beside the first store that is a file, with its name and -contexts",
            completion: .directory,
            "The folder for editing contexts, so that drafts survive a restart."
        ),
        Setting(
            "answerLifetime",
            \.api.answerLifetime,
            .duration,
            in: .api,
            "How long the answer to a request with an Idempotency-Key is kept, in case the client retries."
        ),
        Setting(
            "keptAnswerLimit",
            \.api.keptAnswerLimit,
            .bytes,
            in: .api,
            "The size of such an answer's body, which is written together with the save; if it is larger, "
                + "nothing is saved."
        ),
        Setting(
            "predicateLength",
            \.predicateLength,
            .count(),
            in: .api,
            "Characters in a predicate."
        ),
        Setting(
            "predicateDepth",
            \.predicateDepth,
            .count(1...100),
            in: .api,
            "Levels of nesting in a predicate; each takes stack."
        ),
        Setting(
            "predicateTerms",
            \.predicateTerms,
            .count(),
            in: .api,
            "Comparisons and operands in a predicate; each is evaluated for every row."
        ),
        Setting(
            "includeDepth",
            \.api.maximumIncludeDepth,
            .count(1...50),
            in: .api,
            "Levels of relationships that an answer may embed; each costs a statement."
        ),
        Setting(
            "includeCount",
            \.api.maximumIncludes,
            .count(1...1_000),
            in: .api,
            "Relationships that an answer may embed in total."
        ),
        Setting(
            "includeObjects",
            \.api.maximumIncludedObjects,
            .count(),
            in: .api,
            "Objects that an answer may embed in total, so that no answer fills the memory."
        ),
        Setting(
            "title",
            \.api.title,
            .text("TEXT"),
            in: .api,
            "The API's name in its OpenAPI document."
        ),
    ]

    private static let logging = [
        Setting(
            "logFormat",
            \.logFormat,
            .choice("FORMAT"),
            in: .logging,
            "The log's format: one line of text for each request, or one line of JSON."
        ),
        Setting(
            "logLevel",
            \.logLevel,
            .choice("LEVEL"),
            in: .logging,
            "What is logged: warning omits successful requests, debug adds details of connections."
        ),
        Setting(
            "logFile",
            \.logFile,
            .text("FILE"),
            in: .logging,
            defaultDescription: "the standard error output",
            completion: .file(["log"]),
            "The log's file. SIGHUP reopens it, for programs that rotate logs."
        ),
        Setting(
            "slowQuery",
            \.slowQuery,
            .duration,
            in: .logging,
            "Log queries that take at least this long, with their plans; 0 s logs none."
        ),
        Setting(
            "logValues",
            \.logValues,
            in: .logging,
            "Also log the values of slow queries, which may be personal data."
        ),
    ]
}
