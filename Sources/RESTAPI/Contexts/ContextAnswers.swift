// SPDX-License-Identifier: Apache-2.0

// Answers of an editing context to requests that have an Idempotency-Key.

import FoundationEssentials
import HTTPMessage
import JSON
import SourceText

/// An answer, and the key that it is kept under.
struct ContextAnswer: Sendable {
    let key: String
    let made: Date
    let answer: KeptAnswer
}

extension ContextAnswer {
    /// The answer once more, if it isn't too old, and the key is that of the request.
    func reply(to keeping: AnswerKeeping) throws(Problem) -> Reply? {
        guard key == keeping.key, made >= keeping.keptSince else { return nil }
        return try answer.reply(to: keeping.fingerprint)
    }

    /// As it is in a context's file.
    var json: JSONValue {
        [
            "key": .string(key), "made": .string(DateText.text(made) ?? ""),
            "answer": .string(String(decoding: answer.bytes, as: UTF8.self)),
        ]
    }

    /// Nil for what is none.
    init?(_ json: JSONValue) {
        guard let key = json["key"]?.string, let made = json["made"]?.string.flatMap({ Date(rfc3339: $0) }),
            let answer = (json["answer"]?.string).flatMap({ KeptAnswer(Array($0.utf8)) })
        else { return nil }
        self.init(key: key, made: made, answer: answer)
    }
}

/// What a context has answered of late to requests that may come again, the oldest first.
///
/// 1. An answer is in the context's file together with what the request has changed, or neither is.
/// 2. There are a hundred at most, and no more bytes of them than one may have that a store keeps, but for the last.
struct ContextAnswers: Sendable {
    /// That to the request which has opened the context.
    var opening: ContextAnswer?
    private(set) var all: [ContextAnswer] = []

    private static let countLimit = 100

    /// The answer to a request, if it came before and its answer isn't too old.
    func reply(to keeping: AnswerKeeping) throws(Problem) -> Reply? {
        for answer in all {
            if let reply = try answer.reply(to: keeping) { return reply }
        }
        return nil
    }

    /// These answers and another one, without those that there is no room for then.
    func adding(_ answer: ContextAnswer?, byteLimit: Int) -> ContextAnswers {
        guard let answer else { return self }
        var answers = self
        answers.all = all.filter { $0.key != answer.key } + [answer]
        var bytes = answers.all.reduce(0) { $0 + $1.answer.body.count }
        while answers.all.count > 1, answers.all.count > Self.countLimit || bytes > byteLimit {
            bytes -= answers.all.removeFirst().answer.body.count
        }
        return answers
    }
}

extension ContextAnswers {
    /// As they are in the context's file.
    var json: JSONValue {
        var members: JSONObject = ["all": .array(all.map(\.json))]
        if let opening { members["opening"] = opening.json }
        return .object(members)
    }

    init(_ json: JSONValue) {
        opening = json["opening"].flatMap(ContextAnswer.init)
        all = json["all"]?.array?.compactMap(ContextAnswer.init) ?? []
    }
}
