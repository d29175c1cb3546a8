// SPDX-License-Identifier: Apache-2.0

// The limits of roles in an access file.

import Identities
import JSON
import SourceText

extension AccessFileReader {
    mutating func readLimits(_ member: Member) {
        guard let list = list(member), let names = member.value.object?.names else { return }
        for (name, member) in zip(names, list) where isRole(name, member) {
            guard let members = object(member, knowing: .limit) else { continue }
            if members.isEmpty { refuse(member, "There is no limit.", hint: #"Write {"requests": "100/1s"}."#) }
            policy.limits[name] = RoleLimits(
                requests: requests(members),
                drafts: number(members["drafts"], of: "drafts", from: 0),
                live: number(members["live"], of: "streams", from: 0),
                rows: number(members["rows"], of: "rows", from: 1),
                bytes: bytes(members["bytes"])
            )
        }
    }

    private mutating func requests(_ members: [String: Member]) -> RateLimit? {
        guard let requests = members["requests"] else {
            if let burst = members["burst"] {
                refuse(burst, "A burst is one of requests.", hint: #"Write {"requests": "100/1s", "burst": 200}."#)
            }
            return nil
        }
        var burst: Int?
        if let member = members["burst"] {
            burst = member.value.int64.map { Int($0) }
            if burst == nil { refuse(member, "“burst” must be a number of requests.") }
        }
        guard let text = text(requests) else { return nil }
        do throws(IdentityError) {
            return try RateLimit(text, burst: burst)
        } catch {
            refuse(error.hint == nil ? members["burst"] ?? requests : requests, error.message, hint: error.hint)
            return nil
        }
    }

    private mutating func number(_ member: Member?, of things: String, from least: Int) -> Int? {
        guard let member else { return nil }
        if let number = member.value.int64, number >= least { return Int(number) }
        refuse(member, "“\(member.name)” must be a number of \(things), at least \(least).")
        return nil
    }

    /// A number of bytes, such as 65536, "64 KB" or "1 MiB".
    private mutating func bytes(_ member: Member?) -> Int? {
        guard let member else { return nil }
        let text = member.value.string ?? member.value.int64.map { "\($0)" } ?? ""
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        let (bytes, isTooLarge) =
            Int(digits).flatMap { number in Self.units[String(unit)].map { number.multipliedReportingOverflow(by: $0) }
            }
            ?? (0, false)
        if bytes > 0, !isTooLarge { return bytes }
        refuse(
            member,
            "“bytes” must be a number of bytes, not \(member.value.string.map { "“\($0.printable())”" } ?? member.value.kindName).",
            hint: #"Such as 65536, "64 KB" or "1 MiB"."#
        )
        return nil
    }

    private static let units = [
        "": 1, "B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000, "KiB": 1 << 10, "MiB": 1 << 20,
        "GiB": 1 << 30,
    ]
}
