// SPDX-License-Identifier: Apache-2.0

// The property list by which a bundle says which of its versions is current.

import PropertyList

/// Where the note of a kind of bundle is, and what it says.
struct CurrentVersionNote {
    /// That of an `.xcdatamodeld`: the file name of the version, such as `Model 2.xcdatamodel`.
    static let source = CurrentVersionNote(
        fileName: ".xccurrentversion",
        key: "_XCCurrentVersionName",
        versionExtension: "xcdatamodel",
        isFileName: true
    )
    /// That of a `.momd`: the name of the version, such as `Model 2`.
    static let compiled = CurrentVersionNote(
        fileName: "VersionInfo.plist",
        key: "NSManagedObjectModel_CurrentVersionName",
        versionExtension: "mom",
        isFileName: false
    )

    let fileName: String
    private let key: String
    let versionExtension: String
    private let isFileName: Bool

    /// The name of the current version; nil if the note says none.
    func version(in bytes: [UInt8]) throws(PropertyListError) -> String? {
        let text = try PropertyListValue(parsing: bytes)[key]?.string
        return isFileName ? text?.pathStem : text
    }

    /// The note in an `.xcdatamodeld` whose current version has this name.
    static func written(_ version: String) throws(PropertyListError) -> [UInt8] {
        try PropertyListValue.dictionary([source.key: .string("\(version).\(source.versionExtension)")]).xml()
    }
}
