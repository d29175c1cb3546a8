// SPDX-License-Identifier: Apache-2.0

// The limits of requests in an access file.

import Identities
import JSON

extension AccessFileReader {
    mutating func readLimits(_ member: Member) {
        guard let list = list(member), let names = member.value.object?.names else { return }
        for (name, member) in zip(names, list) where isRole(name, member) {
            guard let members = object(member, knowing: .limit) else { continue }
            guard let requests = members["requests"] else {
                refuse(member, "“requests” is missing.", hint: #"Write {"requests": "100/1s"}."#)
                continue
            }
            var burst: Int?
            if let member = members["burst"] {
                burst = member.value.int64.map { Int($0) }
                if burst == nil { refuse(member, "“burst” must be a number of requests.") }
            }
            guard let text = text(requests) else { continue }
            do throws(IdentityError) {
                policy.limits[name] = try RateLimit(text, burst: burst)
            } catch {
                refuse(error.hint == nil ? members["burst"] ?? requests : requests, error.message, hint: error.hint)
            }
        }
    }
}
