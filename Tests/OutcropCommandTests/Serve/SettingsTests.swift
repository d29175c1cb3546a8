// SPDX-License-Identifier: Apache-2.0

// Settings from all sources.

import Arguments
import FoundationEssentials
import HTTPServer
import JSON
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Settings")
struct SettingsTests {
    private func reading(
        file: String? = nil,
        _ environment: [String: String] = [:],
        _ options: (String, [String])...
    ) throws -> SettingsReader {
        let given = try options.map { option in
            (setting: try #require(Setting.all.first { $0.key == option.0 }), words: option.1)
        }
        guard let file else { return SettingsReader(file: nil, environment: environment, options: given) }
        return try Checkout.withFolder { folder in
            let path = folder + "/settings.json"
            try Files.write(file, to: path)
            return SettingsReader(file: path, environment: environment, options: given)
        }
    }

    @Test("options override variables, which override the file, which overrides defaults")
    func precedence() throws {
        let file = #"{"workers": 3, "loops": 3, "pageSize": 3}"#
        let reading = try reading(
            file: file,
            ["OUTCROP_WORKERS": "4", "OUTCROP_LOOPS": "4", "PATH": "/"],
            ("workers", ["5"])
        )
        #expect(reading.problems.isEmpty)
        #expect(reading.settings.workers == 5)
        #expect(reading.settings.loops == 4)
        #expect(reading.settings.api.pageSize == 3)
        #expect(reading.settings.api.maximumPageSize == 1_000)
    }

    @Test("the settings file may have comments, and its errors have the file, line and column")
    func fileErrors() throws {
        let file = """
            // Ours.
            {
              "listen": ["127.0.0.1:1", "unix:/tmp/s"], /* two */
              "pagesize": 3,
              "workers": "many",
              "rowCache": {}
            }
            """
        let reading = try reading(file: file)
        #expect(reading.settings.listen == [.tcp(host: "127.0.0.1", port: 1), .unix(path: "/tmp/s")])
        let lines = reading.problems.map(\.line)
        #expect(lines.count == 3)
        #expect(lines[0].contains("settings.json:4:3: There is no setting “pagesize”. Did you mean “pageSize”?"))
        #expect(lines[1].contains("settings.json:5:3: “many” isn't a valid value for workers: expected an integer."))
        #expect(lines[2].contains("settings.json:6:3: An object isn't a valid value for rowCache."))
    }

    @Test(
        "null for a setting with a default, and text for a switch, are refused",
        arguments: [
            (
                #"{"deadline": null}"#,
                "settings.json:1:2: Null isn't a valid value for deadline. Omit it for the default."
            ),
            (#"{"demo": null}"#, "settings.json:1:2: Null isn't a valid value for demo. Omit it for the default."),
            (
                #"{"demo": "yes"}"#,
                "settings.json:1:2: A string isn't a valid value for demo. Use true or false, without quotes."
            ),
        ]
    )
    func misleading(file: String, line: String) throws {
        let lines = try reading(file: file).problems.map(\.line)
        #expect(lines.count == 1 && lines[0].hasSuffix(line), "\(lines)")
    }

    @Test(
        "null means the default for settings whose default is no value",
        arguments: ["model", "store", "logFile", "workers"]
    )
    func null(key: String) throws {
        let reading = try reading(file: "{\"\(key)\": null}")
        #expect(reading.problems.isEmpty && reading.places.isEmpty)
    }

    @Test("the default page size doesn't exceed the maximum page size")
    func pageSize() throws {
        let small = try reading([:], ("maximumPageSize", ["10"]))
        #expect(small.settings.api.pageSize == 10)
        #expect(outcrop("serve", "--demo", "--check", "--maximum-page-size", "10").status == .fine)
        let contradiction = try reading([:], ("maximumPageSize", ["10"]), ("pageSize", ["50"]))
        #expect(contradiction.settings.api.pageSize == 50)
    }

    @Test(
        "a settings file that isn't valid JSON is refused once",
        arguments: ["{\"workers\": }", "[]", "{\"loops\": 1"]
    )
    func brokenFile(text: String) throws {
        #expect(try reading(file: text).problems.count == 1)
    }

    @Test("a missing settings file is refused")
    func missingFile() {
        let reading = SettingsReader(file: "/nowhere/x.json", environment: [:], options: [])
        #expect(reading.problems.map(\.line) == ["/nowhere/x.json: The file of settings can't be read."])
    }

    @Test("OUTCROP_CONFIG names the settings file, and the option overrides it")
    func fileVariable() {
        let variable = SettingsReader(file: nil, environment: ["OUTCROP_CONFIG": "/nowhere/a"], options: [])
        #expect(variable.problems.map(\.place) == ["/nowhere/a"])
        let option = SettingsReader(file: "/nowhere/b", environment: ["OUTCROP_CONFIG": "/nowhere/a"], options: [])
        #expect(option.problems.map(\.place) == ["/nowhere/b"])
    }

    @Test("a variable similar to a setting is refused, and an unrelated one only gets a warning")
    func unknownVariables() throws {
        let slip = try reading(nil, ["OUTCROP_READ_ONYL": "true"])
        #expect(
            slip.problems.map(\.line) == [
                "OUTCROP_READ_ONYL: This setting doesn't exist. Did you mean “OUTCROP_READ_ONLY”?"
            ]
        )
        let other = try reading(nil, ["OUTCROP_PORT_8080_TCP_ADDR": "10.0.0.1", "OUTCROP_CORPUS": "/x"])
        #expect(other.problems.isEmpty)
        #expect(other.warnings.map(\.place) == ["OUTCROP_PORT_8080_TCP_ADDR"])
    }

    @Test(
        "variables of builds and tests are ignored without a warning",
        arguments: [
            "CONTRIBUTING.md", "Package.swift", ".ci/run", "Benchmarks/run", "Fuzzing/run",
            "Tests/SeededRandom/SeededGenerator.swift",
        ]
    )
    func variablesOfTheProject(file: String) throws {
        let names = try Checkout.text(of: file).matches(of: /OUTCROP_[A-Z_]+/).map { String($0.output) }
        #expect(!names.isEmpty)
        let reading = try reading(nil, Dictionary(names.map { ($0, "1") }, uniquingKeysWith: { first, _ in first }))
        #expect(reading.problems.isEmpty && reading.warnings.isEmpty, "\(reading.problems + reading.warnings)")
    }

    private func reading(_ file: String?, _ environment: [String: String]) throws -> SettingsReader {
        try reading(file: file, environment)
    }

    @Test("a list in a variable is separated by commas, and an empty variable is ignored")
    func lists() throws {
        let reading = try reading(nil, ["OUTCROP_LISTEN": "127.0.0.1:1, [::1]:2", "OUTCROP_WORKERS": ""])
        #expect(reading.settings.listen == [.tcp(host: "127.0.0.1", port: 1), .tcp(host: "::1", port: 2)])
        #expect(reading.settings.workers == nil && reading.problems.isEmpty)
    }

    @Test("host names and origins are read as browsers write them")
    func sites() throws {
        let reading = try reading(
            file: #"{"hostNames": ["App.Example", "fd00::1"], "cors": "*"}"#,
            ["OUTCROP_CORS": "HTTPS://App.Example:443, http://localhost:3000"]
        )
        #expect(reading.problems.isEmpty)
        #expect(reading.settings.api.hostNames.map(\.description) == ["app.example", "[fd00::1]"])
        #expect(
            reading.settings.api.allowedOrigins.map(\.description) == [
                "https://app.example", "http://localhost:3000",
            ]
        )
    }

    @Test("the log warns at the start if any host name or any origin is accepted")
    func openness() throws {
        var settings = ServeSettings()
        let addresses: [ListenAddress] = [
            .tcp(host: "127.0.0.1", port: 1), .unix(path: "/s"), .tcp(host: "192.168.1.5", port: 80),
        ]
        func events(_ addresses: [ListenAddress]) -> [LogEvent] {
            settings.warnings(listeningAt: addresses).map { $0.event }
        }
        #expect(events(Array(addresses.prefix(2))).isEmpty)
        #expect(events(addresses) == [.anonymous, .setting])
        let message = try #require(settings.warnings(listeningAt: addresses).last?.message)
        #expect(message.hasPrefix("On 192.168.1.5:80, ") && message.contains("--host-names"))
        settings.api.hostNames = [.any]
        #expect(events(addresses) == [.anonymous])
        settings.api.allowedOrigins = [.any]
        #expect(events([]) == [.setting])
    }

    @Test("all problems are reported at once, and an invalid choice gets the nearest one as a hint")
    func several() throws {
        let reading = try reading(
            nil,
            ["OUTCROP_LOG_FORMAT": "jsn", "OUTCROP_DEADLINE": "soon", "OUTCROP_DEMO": "maybe"]
        )
        #expect(reading.problems.count == 3)
        #expect(reading.problems.contains { $0.place == "OUTCROP_LOG_FORMAT" && $0.hint == "Did you mean “json”?" })
    }

    @Test(
        "sizes and times have units",
        arguments: [
            ("bodyLimit", "65536", "64 KiB"), ("bodyLimit", "64KiB", "64 KiB"), ("bodyLimit", "1 GiB", "1 GiB"),
            ("bodyLimit", "5 B", "5 B"), ("deadline", "2", "2 s"), ("deadline", "250ms", "250 ms"),
            ("deadline", "90 s", "90 s"), ("deadline", "2 min", "2 min"), ("deadline", "1h", "1 h"),
            ("deadline", "90 min", "90 min"),
        ]
    )
    func units(key: String, word: String, shown: String) throws {
        let reading = try reading(nil, [variable(key): word])
        let text =
            key == "deadline"
            ? SettingType.duration.write(reading.settings.deadline)
            : SettingType.bytes.write(reading.settings.bodyLimit)
        #expect(text == shown && reading.problems.isEmpty)
    }

    @Test(
        "malformed sizes, times, numbers, addresses and names are refused",
        arguments: [
            ("bodyLimit", "-1"), ("bodyLimit", "0"), ("bodyLimit", "9999999999 TiB"), ("bodyLimit", "3 kilo"),
            ("deadline", "1.5 s"), ("deadline", "1 week"), ("workers", "0"), ("workers", "1e3"), ("listen", "8080"),
            ("listen", "host"), ("store", "sqlite:"), ("synchronous", "off"), ("readOnly", "perhaps"),
            ("hostNames", "app.example:8080"), ("hostNames", "https://app.example"), ("hostNames", "a b"),
            ("cors", "app.example"),
            ("cors", "null"), ("cors", "https://app.example/"),
        ]
    )
    func refused(key: String, word: String) throws {
        #expect(try reading(nil, [variable(key): word]).problems.map(\.place) == [variable(key)])
    }

    @Test(
        "a store is named by kind and path, optionally after a configuration and an equals sign",
        arguments: [
            ("app.sqlite", StoreChoice.Place.file(.sqlite, path: "app.sqlite"), nil),
            ("sqlite:app.db", .file(.sqlite, path: "app.db"), nil), ("memory:", .memory, nil),
            ("xml:f.xml", .file(.xml, path: "f.xml"), nil), ("binary:/a=b", .file(.binary, path: "/a=b"), nil),
            ("Content=sqlite:c.db", .file(.sqlite, path: "c.db"), "Content"), ("Logs=memory:", .memory, "Logs"),
            ("./a=b", .file(.sqlite, path: "./a=b"), nil),
        ] as [(String, StoreChoice.Place, String?)]
    )
    func stores(text: String, place: StoreChoice.Place, configuration: String?) throws {
        let choice = try StoreChoice(text)
        #expect(choice.place == place && choice.configuration == configuration)
    }

    @Test(
        "an unknown kind of store is refused with the nearest one, unless a slash precedes the colon",
        arguments: [
            ("mysql:foo", nil), ("sqlit:x", "sqlite:"), ("SQLITE:x", "sqlite:"), ("Content=xlm:x", "xml:"),
            ("memroy:", "memory:"), ("C:x.sqlite", nil),
        ] as [(String, String?)]
    )
    func unknownKinds(text: String, nearest: String?) throws {
        let problem = try #require(try reading(nil, [variable("store"): text]).problems.first)
        #expect(problem.message.contains("the kind of store"))
        #expect(problem.message.hasSuffix("Begin a path that has a colon in its first segment with “./”."))
        if let nearest { #expect(problem.message.contains("Did you mean “\(nearest)”?"), "\(problem.message)") }
        #expect(try StoreChoice("./mysql:foo").place == .file(.sqlite, path: "./mysql:foo"))
        #expect(try StoreChoice("/tmp/a:b").place == .file(.sqlite, path: "/tmp/a:b"))
    }

    @Test(
        "values of the wrong type in a file are refused",
        arguments: [
            "{\"store\":7}", "{\"store\":[\"memory:\",true]}", "{\"model\":1}", "{\"listen\":8080}", "{\"demo\":1}",
            "{\"workers\":true}", "{\"logFormat\":1}",
        ]
    )
    func types(file: String) throws {
        #expect(try reading(file: file).problems.count == 1)
    }

    @Test("a number in a file is an amount in the setting's base unit")
    func amounts() throws {
        let reading = try reading(file: "{\"bodyLimit\":65536,\"deadline\":2,\"workers\":3,\"demo\":true}")
        #expect(reading.problems.isEmpty)
        #expect(reading.settings.bodyLimit == 65536)
    }

    @Test("each default can be written and read back", arguments: Setting.all.map(\.key))
    func defaults(key: String) throws {
        let setting = try #require(Setting.all.first { $0.key == key })
        guard !setting.standard.isNull else { return }
        let reading = try reading(file: JSONValue.object([key: setting.standard]).serialized(.pretty))
        #expect(reading.problems.isEmpty)
        #expect(settingsText(reading.settings) == settingsText(ServeSettings()))
    }

    @Test("each setting has unique names, and its reason is a sentence")
    func names() {
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.option)).count == Setting.all.count)
        #expect(Setting.all.first { $0.key == "requestLine" }?.variable == "OUTCROP_REQUEST_LINE")
        for setting in Setting.all { #expect(setting.reason.hasSuffix("."), "\(setting.key)") }
    }

    @Test("every limit of the server and every option of the API has a setting")
    func complete() {
        let keys = Set(Setting.all.map(\.key))
        let otherNames = [
            "body": "bodyLimit", "maximumIncludeDepth": "includeDepth", "maximumIncludes": "includeCount",
            "maximumIncludedObjects": "includeObjects",
            "maximumContexts": "contexts", "contextMemoryLimit": "contextMemory",
            "contextsMemoryLimit": "contextsMemory", "readLimit": "requestMemory",
            "bodyValueLimit": "bodyValues", "bodyObjectLimit": "bodyObjects",
            "requiresPreconditions": "requirePreconditions", "allowedOrigins": "cors",
            "predicateLimits": "predicateTerms",
        ]
        // The program sets the version, its metrics, the clock, and the versions of the model; roles have limits of streamed
        // answers; only tests set intervals.
        let members =
            Mirror(reflecting: ServerLimits()).children.compactMap(\.label)
            + Mirror(reflecting: APIOptions()).children.compactMap(\.label).filter {
                ![
                    "version", "metrics", "now", "modelVersions", "heartbeatInterval", "admissionInterval",
                    "streamedRowLimit", "streamedBodyLimit",
                ].contains($0)
            }
        for member in members { #expect(keys.contains(otherNames[member] ?? member), "\(member)") }
    }

    private func variable(_ key: String) -> String { Setting.all.first { $0.key == key }?.variable ?? key }
}
