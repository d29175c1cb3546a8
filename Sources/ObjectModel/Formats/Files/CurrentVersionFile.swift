// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// The property list by which a bundle names its current version: its file name and format.
struct CurrentVersionFile {
    /// In an `.xcdatamodeld`: the file name of the version, such as `Model 2.xcdatamodel`.
    static let source = CurrentVersionFile(
        fileName: ".xccurrentversion",
        key: "_XCCurrentVersionName",
        versionExtension: "xcdatamodel",
        isFileName: true
    )
    /// In a `.momd`: the name of the version, such as `Model 2`.
    static let compiled = CurrentVersionFile(
        fileName: "VersionInfo.plist",
        key: "NSManagedObjectModel_CurrentVersionName",
        versionExtension: "mom",
        isFileName: false
    )

    let fileName: String
    private let key: String
    let versionExtension: String
    private let isFileName: Bool

    /// The name of the current version, or nil if the file doesn't have it.
    func version(in bytes: [UInt8]) throws(PropertyListError) -> String? {
        let text = try PropertyListValue(parsing: bytes)[key]?.string
        return isFileName ? text?.pathStem : text
    }

    /// The contents of the file in an `.xcdatamodeld` with this current version.
    static func written(_ version: String) throws(PropertyListError) -> [UInt8] {
        try PropertyListValue.dictionary([source.key: .string("\(version).\(source.versionExtension)")]).xml()
    }
}
