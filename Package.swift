// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The settings of all targets: language mode 6, all upcoming features that the code is written for, marked unsafe
/// constructs, and warnings as errors.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// The settings of tests and of what isn't the engine. Where the engine is optimized for them, these aren't: that would
/// take long, and the compiler can't optimize users of modules that are built for testing (“circular reference”).
let tested =
    Context.environment["OUTCROP_OPTIMIZED"] == nil ? strict : strict + [.unsafeFlags(["-Onone"])]

/// The settings of programs that measure and fuzz the package, and often call C.
let programs: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// The commit that the program is built from, which `outcrop --version` shows if the environment has it.
let build: [SwiftSetting] =
    Context.environment["OUTCROP_COMMIT"].map { commit in
        [.unsafeFlags(["-Xcc", "-DOUTCROP_COMMIT=\"\(commit.filter { $0.isLetter || $0.isNumber || $0 == "-" })\""])]
    } ?? []

func layer(
    _ name: String,
    on dependencies: [Target.Dependency] = [],
    without files: [String] = [],
    isEngine: Bool = true
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: files, swiftSettings: isEngine ? strict : tested)
}

func tests(_ name: String, on dependencies: [Target.Dependency], without files: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], exclude: files, swiftSettings: tested)
}

let package = Package(
    name: "outcrop",
    products: [
        .library(name: "Outcrop", targets: ["Outcrop"]),
        // The conformance suite of stores, for tests of stores in other packages.
        .library(name: "StoreConformance", targets: ["StoreConformance"]),
        .executable(name: "outcrop", targets: ["OutcropCommand"]),
    ],
    targets: [
        // System libraries, each imported by one target.
        .systemLibrary(name: "CZlib"),
        .systemLibrary(name: "CLibSSL", providers: [.apt(["libssl-dev"])]),
        // What is known when the program is built.
        .systemLibrary(name: "CBuild"),
        // The web console's files, embedded in the program.
        .target(name: "CConsole", exclude: ["list"]),
        // Leaves: of this package, they import only leaves below them.
        layer("Basics"),
        layer("SourceText"),
        layer("XML", on: ["SourceText"]),
        layer("JSON", on: ["SourceText"]),
        layer("CSV", on: ["SourceText"], isEngine: false),
        layer("Arguments", on: ["SourceText"], isEngine: false),
        layer("Predicates", on: ["SourceText"]),
        layer("PropertyList", on: ["SourceText", "XML"]),
        layer("Compression", on: ["CZlib"]),
        layer("Cryptography", on: ["CLibSSL"]),
        layer("Files"),
        layer("HTTPMessage"),
        layer("Identities", on: ["Cryptography", "Files", "HTTPMessage", "JSON", "SourceText"], isEngine: false),
        // SQLite, and the only target that imports it.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        layer("SQLiteDriver", on: ["Basics", "CSQLite", "Files"]),
        // The data model, its diagrams, and generated Swift and TypeScript.
        layer(
            "ObjectModel",
            on: ["Basics", "Compression", "Cryptography", "JSON", "Predicates", "PropertyList", "SourceText", "XML"]
        ),
        layer("ModelDiagram", on: ["Basics", "ObjectModel", "XML"], isEngine: false),
        layer("AccessRules", on: ["Identities", "JSON", "ObjectModel", "Predicates", "SourceText"], isEngine: false),
        layer("SwiftGeneration", on: ["ObjectModel"], isEngine: false),
        layer("TypeScriptGeneration", on: ["HTTPMessage", "ObjectModel", "Predicates"], isEngine: false),
        // The engine and its stores.
        layer("ObjectGraph", on: ["Basics", "ObjectModel", "Predicates", "SourceText"]),
        layer("AtomicStores", on: ["Files", "ObjectGraph", "ObjectModel", "Predicates", "SourceText", "XML"]),
        layer(
            "SQLiteStore",
            on: [
                "Basics", "Files", "ObjectGraph", "ObjectModel", "Predicates", "PropertyList", "SQLiteDriver",
                "SourceText",
            ]
        ),
        // Demo data for any model.
        layer("DemoData", on: ["Basics", "ObjectGraph", "ObjectModel", "Predicates"], isEngine: false),
        // The server: libevent, the only target that imports it, and the API.
        .systemLibrary(name: "CLibevent", providers: [.apt(["libevent-dev"])]),
        layer("HTTPServer", on: ["Basics", "CLibevent", "Cryptography", "HTTPMessage"]),
        layer(
            "RESTAPI",
            on: [
                "AccessRules", "Basics", "CSV", "Compression", "Cryptography", "Files", "HTTPMessage",
                "Identities", "JSON", "ObjectGraph", "ObjectModel", "Predicates", "SourceText",
            ],
            without: ["Writing/README.md"],
            isEngine: false
        ),
        // The module that apps with the engine import.
        layer("Outcrop", on: ["AtomicStores", "ObjectGraph", "ObjectModel", "Predicates", "SQLiteStore"]),
        // The program: the command line, and the assembly of all layers.
        .executableTarget(
            name: "OutcropCommand",
            dependencies: [
                "AccessRules", "Arguments", "AtomicStores", "Basics", "CBuild", "CConsole", "CSV", "Cryptography",
                "DemoData", "Files", "HTTPMessage", "HTTPServer", "Identities", "JSON", "ModelDiagram", "ObjectGraph",
                "ObjectModel",
                "Predicates", "RESTAPI", "SQLiteDriver", "SQLiteStore", "SourceText", "SwiftGeneration",
                "TypeScriptGeneration",
            ],
            swiftSettings: tested + build
        ),

        // An example of a program that embeds the engine. Its README shows the output.
        .executableTarget(
            name: "LibraryExample",
            dependencies: ["Outcrop"],
            path: "Examples/Library",
            exclude: ["README.md"],
            swiftSettings: tested
        ),
        // An example of a custom store, which uses only what the engine offers to other packages.
        .target(
            name: "NoteStore",
            dependencies: ["Outcrop"],
            path: "Examples/NoteStore",
            exclude: ["README.md"],
            packageAccess: false,
            swiftSettings: tested
        ),

        // Random numbers that can be repeated with a seed, for tests.
        .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: strict),
        // Helpers of the tests of several targets.
        .target(
            name: "TestSupport",
            dependencies: ["Files", "SeededRandom"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        // A client that sends exact bytes, for tests of servers.
        .target(
            name: "HTTPTestClient",
            dependencies: ["Cryptography", "HTTPServer"],
            path: "Tests/HTTPTestClient",
            swiftSettings: strict
        ),
        // The code of docs/engine.md.
        .target(name: "EngineGuide", dependencies: ["Outcrop"], path: "Tests/EngineGuide", swiftSettings: tested),
        // The conformance suite of stores.
        .target(
            name: "StoreConformance",
            dependencies: ["ObjectGraph", "ObjectModel", "Predicates", "SeededRandom"],
            path: "Tests/StoreConformance",
            exclude: ["README.md"],
            swiftSettings: tested
        ),
        // Files and memory that fail for SQLite, and a program that saves until it is killed.
        .target(
            name: "FaultyFiles",
            dependencies: ["CSQLite"],
            path: "Tests/FaultyFiles",
            linkerSettings: [.linkedLibrary("sqlite3")]
        ),
        .executableTarget(
            name: "LedgerProgram",
            dependencies: ["ObjectGraph", "ObjectModel", "Predicates", "SQLiteDriver", "SQLiteStore"],
            path: "Tests/LedgerProgram",
            swiftSettings: strict
        ),
        tests("SourceTextTests", on: ["SourceText"]),
        tests("XMLTests", on: ["SourceText", "XML"]),
        tests("CSVTests", on: ["CSV", "SourceText"]),
        tests("JSONTests", on: ["JSON", "SourceText"]),
        tests("ArgumentsTests", on: ["Arguments"]),
        tests("HTTPMessageTests", on: ["HTTPMessage"]),
        tests(
            "HTTPServerTests",
            on: ["Basics", "Cryptography", "Files", "HTTPMessage", "HTTPServer", "HTTPTestClient"]
        ),
        tests(
            "RESTAPITests",
            on: [
                "AccessRules", "AtomicStores", "Basics", "CSV", "Compression", "HTTPMessage", "HTTPServer",
                "HTTPTestClient",
                "Identities", "JSON", "ObjectGraph", "ObjectModel", "Predicates", "RESTAPI", "SQLiteDriver",
                "SQLiteStore",
            ]
        ),
        tests("SQLiteDriverTests", on: ["Basics", "SQLiteDriver"]),
        tests("PredicatesTests", on: ["Predicates"]),
        tests("PropertyListTests", on: ["PropertyList"]),
        tests("CompressionTests", on: ["Compression"]),
        tests("CryptographyTests", on: ["Cryptography"]),
        tests(
            "ObjectModelTests",
            on: ["Compression", "JSON", "ObjectModel", "Predicates", "PropertyList", "SourceText", "XML"]
        ),
        tests("FilesTests", on: ["Files"]),
        tests("AccessRulesTests", on: ["AccessRules", "Identities", "JSON", "ObjectModel", "Predicates"]),
        tests("IdentitiesTests", on: ["Cryptography", "Files", "HTTPMessage", "Identities", "JSON", "SeededRandom"]),
        tests("ModelDiagramTests", on: ["ModelDiagram", "ObjectModel", "XML"]),
        tests("SwiftGenerationTests", on: ["LibraryExample", "ObjectModel", "Outcrop", "SwiftGeneration"]),
        tests("TypeScriptGenerationTests", on: ["ObjectModel", "TypeScriptGeneration"]),
        tests(
            "ObjectGraphTests",
            on: ["AtomicStores", "ObjectGraph", "ObjectModel", "Predicates", "SQLiteStore", "StoreConformance"],
            without: ["Pending/README.md"]
        ),
        tests(
            "AtomicStoresTests",
            on: ["AtomicStores", "Files", "ObjectGraph", "ObjectModel", "Predicates", "StoreConformance"]
        ),
        tests(
            "SQLiteStoreTests",
            on: [
                "FaultyFiles", "Files", "LedgerProgram", "ObjectGraph", "ObjectModel", "Predicates", "PropertyList",
                "SQLiteDriver", "SQLiteStore", "StoreConformance",
            ]
        ),
        tests(
            "DemoDataTests",
            on: ["AtomicStores", "DemoData", "ObjectGraph", "ObjectModel", "Predicates", "SQLiteStore"]
        ),
        // Migrations, on every store.
        tests(
            "MigrationTests",
            on: ["AtomicStores", "DemoData", "ObjectGraph", "ObjectModel", "Predicates", "SQLiteStore"]
        ),
        tests(
            "StoreConformanceTests",
            on: ["AtomicStores", "ObjectGraph", "ObjectModel", "Predicates", "StoreConformance"]
        ),
        tests(
            "ExampleStoreTests",
            on: [
                "AtomicStores", "NoteStore", "ObjectGraph", "ObjectModel", "Outcrop", "Predicates", "StoreConformance",
            ]
        ),
        tests(
            "OutcropCommandTests",
            on: [
                "Arguments", "Cryptography", "Files", "HTTPMessage", "HTTPServer", "HTTPTestClient", "JSON",
                "OutcropCommand", "RESTAPI", "SQLiteDriver", "SourceText",
            ]
        ),
        // Checks README and docs against the code.
        tests(
            "DocumentationTests",
            on: [
                "AccessRules", "Arguments", "Cryptography", "DemoData", "EngineGuide", "HTTPMessage", "Identities",
                "JSON",
                "LibraryExample", "ObjectGraph", "ObjectModel", "Outcrop", "OutcropCommand", "Predicates", "RESTAPI",
                "SQLiteStore",
            ]
        ),
    ]
)

// Benchmarks of the engine, and of its SQLite store compared with plain C; `Benchmarks/run` sets the variable.
if Context.environment["OUTCROP_BENCHMARKS"] != nil {
    package.targets.append(.target(name: "CAllocator", path: "Benchmarks/Sources/CAllocator"))
    for name in ["Benchmarks", "StoreBenchmarks"] {
        package.targets.append(
            .executableTarget(
                name: name,
                dependencies: ["CAllocator", "Outcrop"],
                path: "Benchmarks/Sources/" + name,
                packageAccess: false,
                swiftSettings: programs
            )
        )
    }
}

// Fuzz targets for the entry points that read bytes from outside. `Fuzzing/run` sets the variable to the path of
// libFuzzer's library, and instruments the whole build for it.
if let fuzzer = Context.environment["OUTCROP_FUZZER"] {
    package.targets.append(.target(name: "CLibFuzzer", path: "Fuzzing/Sources/CLibFuzzer"))
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer", "CSV", "Cryptography", "HTTPMessage", "Identities", "JSON", "Outcrop", "RESTAPI",
            ],
            path: "Fuzzing/Sources/Fuzz",
            swiftSettings: programs,
            linkerSettings: [.unsafeFlags([fuzzer]), .linkedLibrary("stdc++")]
        )
    )
}

// A test run of a few targets, as under a sanitizer, builds only these and their dependencies.
if let wanted = Context.environment["OUTCROP_TESTS"] {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var next = wanted.split(separator: " ").map(String.init)
    while let name = next.popLast() {
        guard let target = targets[name], needed.insert(name).inserted else { continue }
        for case .byNameItem(let dependency, _) in target.dependencies { next.append(dependency) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
