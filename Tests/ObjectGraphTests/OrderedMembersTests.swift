// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import TestSupport
import Testing

@Suite("Ordered members")
struct OrderedMembersTests {
    @Test("ordered members behave like an array without duplicates", arguments: SeededGenerator.seeds(50))
    func againstArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var members = OrderedMembers<Int>()
        var plain: [Int] = []
        for _ in 0..<600 {
            let member = Int.random(in: 0..<60, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                #expect(members.append(member) == !plain.contains(member))
                if !plain.contains(member) { plain.append(member) }
            case 3..<6:
                let index = Int.random(in: 0...plain.count, using: &random)
                #expect(members.insert(member, at: index) == !plain.contains(member))
                if !plain.contains(member) { plain.insert(member, at: index) }
            case 6..<8:
                #expect(members.remove(member) == plain.contains(member))
                plain.removeAll { $0 == member }
            case 8:
                let other = Int.random(in: 0..<60, using: &random)
                members.replace(member, by: other)
                if let place = plain.firstIndex(of: member), !plain.contains(other) { plain[place] = other }
            default:
                #expect(members.firstIndex(of: member) == plain.firstIndex(of: member))
                #expect(members.contains(member) == plain.contains(member))
            }
            #expect(members.count == plain.count)
        }
        #expect(members.members == plain)
        #expect(members == OrderedMembers(plain))
        #expect(plain.allSatisfy { members.firstIndex(of: $0) == plain.firstIndex(of: $0) })
    }
}
