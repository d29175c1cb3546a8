// SPDX-License-Identifier: Apache-2.0

// The metadata of real stores, if available: OUTCROP_CORPUS is the path of their folder.

import PropertyList
import TestSupport
import Testing

@Suite(
    "Metadata of real stores",
    .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"),
    .enabled(if: StoreDatabase.isReadable, "the program sqlite3 isn't installed")
)
struct MetadataCorpusTests {
    @Test("a real store's metadata is read back from both formats as written", arguments: Turn.part(of: Corpus.stores))
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
    /// The list as XML represents it.
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
