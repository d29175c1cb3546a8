// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// Fuzz targets around the entry points that take bytes from outside. A package of its own, since all of it is built with
// libFuzzer's instrumentation; `run` builds and runs it.

import PackageDescription

let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "outcrop", path: "..")],
    targets: [
        .target(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer",
                .product(name: "CSV", package: "outcrop"),
                .product(name: "HTTPMessage", package: "outcrop"),
                .product(name: "JSON", package: "outcrop"),
                .product(name: "Outcrop", package: "outcrop"),
                .product(name: "RESTAPI", package: "outcrop"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
        ),
    ]
)
