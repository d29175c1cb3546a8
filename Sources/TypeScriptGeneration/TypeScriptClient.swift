// SPDX-License-Identifier: Apache-2.0

// The classes of a model's client and of its drafts, with a property for each entity.

import ObjectModel

struct TypeScriptClient {
    let section: String

    init(_ entities: [Entity], _ names: TypeScriptNames, hasQueries: Bool, hasAccounts: Bool) {
        func collections(_ arguments: String) -> String {
            entities.map { entity in
                let member = names.member(of: entity.name).asKey
                let type = "EntityCollection<\(entity.name.quoted)\(arguments)>"
                return "  readonly \(member): \(type) = collectionOf(this.route, \(entity.name.quoted));\n"
            }.joined()
        }
        section = """
            // ----- The client -----

            /** The objects on a server. */
            export class \(names.client) extends ObjectClient<\(names.draft)> {
            \(collections(""))\(hasAccounts ? "  readonly accounts = new ServerAccounts(this.connection);\n" : "")
              /** The address is that of the server, without "/api". In a page that the server serves it is empty. */
              constructor(url = "", options: ConnectionOptions = {}) {
                super(new ServerConnection(url, options), (route, id) => new \(names.draft)(route, id));
              }
            \(hasQueries ? "\n\(Self.query)\n" : "")}

            /** The objects in a draft. */
            export class \(names.draft) extends ObjectDraft<\(names.draft)> {
            \(collections(", \"draft\""))
              constructor(route: ObjectRoute, id: string) {
                super(route, id, (child) => new \(names.draft)(route, child));
              }
            }
            """
    }

    private static let query = """
          /** A page of the objects that one of the model's named queries finds. */
          async query<
            N extends QueryName,
            S extends SelectableKey<QueryMap[N]["entity"]> = never,
            I extends ObjectInclude<QueryMap[N]["entity"]> = {},
          >(
            name: N,
            variables: QueryMap[N]["variables"],
            query: ObjectQuery<QueryMap[N]["entity"], S, I> = {},
          ): Promise<ResultPage<ObjectResult<QueryMap[N]["entity"], S, I>>> {
            return runQuery(this.route, queryEntities[name], name, variables, query);
          }
        """

    /// The types that the code for accounts needs.
    static func accountTypes(of entity: String, password: String?) -> String {
        let all = "EntityMap[\(entity.quoted)][\"create\"]"
        let others = password.map { "Omit<\(all), \($0.inAPI.quoted)>" } ?? all
        return """
            /** An account. */
            export type AccountObject = EntityMap[\(entity.quoted)]["object"];

            /** The properties of a new account besides its name and its password. */
            export type AccountProperties = Partial<\(others)>;
            """
    }
}
