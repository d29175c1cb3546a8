// SPDX-License-Identifier: Apache-2.0

// The model's named queries.

extension Runtime {
    static let namedQueries = #"""
        // ----- Named queries -----

        /** The name of one of the model's fetch request templates. */
        export type QueryName = keyof QueryMap & string;

        async function runQuery<T>(
          route: ObjectRoute,
          entity: string,
          name: string,
          variables: object,
          query: AnyQuery,
        ): Promise<ResultPage<T>> {
          const more: QueryParameters = { result: "objects" };
          for (const [variable, value] of Object.entries(variables)) {
            const text = argument(value);
            more[variable] = typeof text === "object" ? JSON.stringify(text) : String(text);
          }
          return route.page(`${route.path}/queries/${encodeURIComponent(name)}`, entity, query, more, false);
        }
        """#
}
