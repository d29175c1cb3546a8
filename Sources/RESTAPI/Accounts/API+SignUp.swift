// SPDX-License-Identifier: Apache-2.0

// Makes accounts.

import AccessRules
import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// A sign-up: the plan of a new object, and its password.
///
/// 1. The object is written as by a POST to its entity, under the same rules, except that the name and the password are
///    written whatever the rules say of these properties.
/// 2. It never becomes a change of an object that exists.
struct SignUp: Sendable {
    private var plan: WritePlan
    private let index: Int
    let name: String
    private let password: String
    /// The member of the body with the name.
    private let nameMember: String

    init(_ request: APIRequest, in api: API) throws {
        let accounts = try api.servedAccounts
        let resource = api.catalogue[accounts.entity]
        if let access = api.access, accounts.kinds.allSatisfy({ access.permission(.create, $0) == .never }) {
            throw Problem(.forbidden, "The access rules don't permit sign-ups.")
        }
        var body = try AccountBody(request)
        nameMember = Self.nameMember(in: body.object, of: accounts)
        name = body.accountName(nameMember)
        password = body.newPassword("password")
        var object = body.object
        object[nameMember] = nil
        object["password"] = nil
        let planner = try WritePlanner(request, of: api)
        var reader = planner.reader
        // The password is the member of this name alone.
        reader.accounts = nil
        index = reader.insert(object, resource, AccountBody.place) ?? 0
        for detail in body.findings.details { reader.findings.add(detail) }
        plan = try planner.plan(&reader, answering: .object(index))
        plan.preferences.merge = nil
        plan.preferences.returning = []
        try plan.findings.check()
    }

    /// The entity may have another property called `name`. Then the body may have the attribute with the account's name by
    /// its own name.
    private static func nameMember(in object: JSONObject, of accounts: ServedAccounts) -> String {
        let own = ResourceProperty.name(of: accounts.name.name)
        return object[own] == nil ? "name" : own
    }

    /// Makes the account, and returns its object.
    func run(in api: API) throws -> StoredAccount {
        let accounts = try api.servedAccounts
        var plan = plan
        plan.writes[index].serverValues = [
            accounts.name: .string(name), accounts.password: .string(try accounts.accounts.passwords.hash(password)),
        ]
        do throws(Problem) {
            _ = try api.execute(.write(plan))
        } catch {
            throw shown(error, of: accounts, in: api)
        }
        guard let account = try api.account(named: name, of: accounts) else {
            throw Problem(.internal, "The new account can't be read.")
        }
        return account
    }

    /// A problem with the names that the body has.
    private func shown(_ problem: Problem, of accounts: ServedAccounts, in api: API) -> Problem {
        var problem = problem
        let own = ResourceProperty.name(of: accounts.name.name)
        for index in problem.errors.indices where problem.errors[index].property == own {
            problem.errors[index].property = nameMember
            problem.errors[index].extras["pointer"] = .string("/\(nameMember)")
            if problem.code == .unique { problem.errors[index] = taken }
        }
        // Rules may hide the name, so that a conflict has none. Whether it is taken, a sign-up tells all the same.
        if problem.code == .unique, problem.errors.allSatisfy({ $0.property == nil }),
            (try? api.account(named: name, of: accounts)) ?? nil != nil
        {
            problem.errors = [taken]
        }
        if problem.code == .unique {
            problem.hint = "Choose another value."
            if problem.errors == [taken] { problem.detail = taken.message }
        }
        return problem
    }

    private var taken: Problem.Detail {
        Problem.Detail(
            property: nameMember,
            code: "unique",
            message: "The name is taken.",
            extras: ["pointer": .string("/\(nameMember)")]
        )
    }
}

extension API {
    /// Makes an account, and begins its first session. Attempts slow down, also those that succeed: nobody needs many
    /// accounts, except those who administer.
    func signUp(_ signUp: SignUp, from sender: RequestSender) throws -> Reply {
        let accounts = try servedAccounts
        if access != nil, let seconds = accounts.accounts.signUps.attempt(signUp.name, from: sender) {
            throw Problem.tooManyRequests("There were too many sign-ups.", after: seconds)
        }
        let account = try signUp.run(in: self)
        if accounts.verified != nil { try send(.verify, to: account, of: accounts) }
        return try beginFirstSession(of: account.objectID)
    }
}
