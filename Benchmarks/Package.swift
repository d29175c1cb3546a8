// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// Measurements of the engine, apart from the package so that nothing of them is built with it; `make bench` runs them.

import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "outcrop", path: "..")],
    targets: [
        .target(name: "CAllocator"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["CAllocator", .product(name: "Outcrop", package: "outcrop")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
        // The store against plain C; `run` puts the C program beside it.
        .executableTarget(
            name: "StoreBenchmarks",
            dependencies: ["CAllocator", .product(name: "Outcrop", package: "outcrop")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
    ]
)
