// SPDX-License-Identifier: Apache-2.0

// The metadata of real stores, where there are any at hand: OUTCROP_CORPUS names their folder.

import PropertyList
import TestSupport
import Testing

@Suite(
    "The metadata of real stores",
    .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"),
    .enabled(if: StoreDatabase.isReadable, "the program sqlite3 isn't installed")
)
struct MetadataCorpusTests {
    @Test("comes back from both forms as it was", arguments: Turn.part(of: Corpus.stores))
    func roundTrip(path: String) throws {
        let bytes = try #require(try StoreDatabase.withCopy(of: path) { try $0.metadata() })
        let list = try PropertyListValue(parsing: bytes)
        #expect(list["NSStoreModelVersionHashesVersion"] == 3)
        #expect(
            list["NSStoreModelVersionHashes"]?.dictionary?.entries.allSatisfy { $0.value.data?.count == 32 } == true
        )
        #expect(try PropertyListValue(parsing: list.binary()) == list)
        #expect(try PropertyListValue(parsing: list.xml()) == list.withWholeSeconds)
    }
}

extension PropertyListValue {
    /// The list as far as XML can say it.
    fileprivate var withWholeSeconds: PropertyListValue {
        switch self {
        case .date(let seconds): .date(seconds.rounded(.down))
        case .array(let members): .array(members.map(\.withWholeSeconds))
        case .dictionary(let dictionary):
            .dictionary(PropertyListDictionary(dictionary.entries.map { ($0.key, $0.value.withWholeSeconds) }))
        default: self
        }
    }
}
