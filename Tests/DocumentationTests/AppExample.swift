// SPDX-License-Identifier: Apache-2.0

// The Swift of docs/tutorial.md for apps, as the page shows it, so that it is compiled. It isn't run: it needs the server of
// the tutorial.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct AppExample {
    // Begin
    struct Sighting: Codable {
        var _id: String?
        var birds: Int
        var location: String?
    }
    struct Page<Item: Decodable>: Decodable {
        let items: [Item]
        let next: String?
    }
    struct Account: Encodable { let name, password: String }
    struct Session: Decodable { let token, refreshToken: String }
    struct Problem: Decodable, Error { let code, detail: String }

    func send<Answer: Decodable>(
        _ method: String,
        _ path: String,
        _ body: (any Encodable)? = nil,
        token: String? = nil
    ) async throws -> Answer {
        var request = URLRequest(url: URL(string: "http://localhost:8080" + path)!)
        request.httpMethod = method
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let status = (response as? HTTPURLResponse)?.statusCode, status < 400 else {
            throw try JSONDecoder().decode(Problem.self, from: data)
        }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
    // End

    func showSightings() async throws {
        // Begin
        let ana = Account(name: "ana@example.org", password: "correct horse")
        let session: Session = try await send("POST", "/api/auth/sign-in", ana)
        let page: Page<Sighting> = try await send("GET", "/api/sightings?limit=20", token: session.token)
        if let path = page.items.first?._id {
            let changed: Sighting = try await send("PATCH", "/api/\(path)", ["birds": 5], token: session.token)
            print(changed.birds)
        }
        // End
    }
}
