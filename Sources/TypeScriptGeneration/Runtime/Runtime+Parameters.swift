// SPDX-License-Identifier: Apache-2.0

// Turns queries into parameters, and values into bodies.

extension Runtime {
    static let parameters = #"""
        // ----- Parameters -----

        type Writable<T> = { -readonly [K in keyof T]: T[K] };
        type QueryParameters = { [name: string]: string | number | boolean };

        /** The parameters of a query, and the values of its predicates' placeholders in order. */
        interface FetchParameters {
          readonly parameters: QueryParameters;
          readonly values: readonly unknown[];
        }

        /** All members that queries of any entity may have. */
        interface AnyQuery extends RequestOptions {
          readonly where?: unknown;
          readonly having?: PredicateFormat;
          readonly search?: string;
          readonly includeSubentities?: boolean;
          readonly includePending?: boolean;
          readonly sort?: unknown;
          readonly limit?: number;
          readonly offset?: number;
          readonly cursor?: string;
          readonly count?: boolean;
          readonly select?: readonly string[];
          readonly include?: unknown;
          readonly columns?: readonly string[];
          readonly aggregates?: { readonly [name: string]: { readonly [name: string]: string } };
          readonly distinct?: boolean;
          readonly section?: string;
          readonly asOf?: string;
        }

        function fetchParameters(model: ModelShape, entity: string, query: AnyQuery): FetchParameters {
          const parameters: QueryParameters = {};
          const values: unknown[] = [];
          // Placeholders take values in this order: where, having, include.
          for (const name of ["where", "having"] as const) {
            const condition = query[name];
            if (condition === undefined) continue;
            const { format, values: own } = FilterCompiler.format(model, entity, condition);
            parameters[name] = format;
            values.push(...own);
          }
          for (
            const name of [
              "search",
              "includeSubentities",
              "includePending",
              "limit",
              "offset",
              "count",
              "distinct",
              "section",
            ] as const
          ) {
            const value = query[name];
            if (value !== undefined) parameters[name] = value;
          }
          if (query.asOf !== undefined) parameters["asOf"] = query.asOf;
          if (query.sort !== undefined) parameters["sort"] = sortText(query.sort);
          const include = includeItems(model, entity, query.include ?? {}, values);
          if (include.length > 0) parameters["include"] = include.join(",");
          if (query.select !== undefined) {
            // Without any property, objects still have their identity.
            parameters["select"] = query.select.length === 0 ? "_id" : query.select.join(",");
          }
          if (query.columns !== undefined || query.aggregates !== undefined) {
            const aggregates = Object.entries(query.aggregates ?? {});
            const columns = query.columns ?? [];
            if (columns.length > 0) parameters[aggregates.length > 0 ? "group" : "select"] = columns.join(",");
            if (aggregates.length > 0) parameters["aggregate"] = aggregates.map(aggregateText).join(",");
          }
          if (query.cursor?.startsWith("offset=")) parameters["offset"] = Number(query.cursor.slice(7));
          else if (query.cursor !== undefined) parameters["cursor"] = query.cursor;
          return { parameters, values };
        }

        function aggregateText([name, column]: [string, { readonly [name: string]: string }]): string {
          return Object.entries(column).map(([operator, path]) => `${name}:${operator}(${path})`).join(",");
        }

        function sortText(sort: unknown): string {
          const orders = Array.isArray(sort) ? sort : [sort];
          return orders
            .map((order: string | { key: string; descending?: boolean; options?: string }) =>
              typeof order === "string"
                ? order
                : (order.descending ? "-" : "") + order.key + (order.options === undefined ? "" : `[${order.options}]`)
            )
            .join(",");
        }

        /** `tags(sort=name,limit=3),author.groups`: options stand at the first key path of a relationship. */
        function includeItems(model: ModelShape, entity: string, include: unknown, values: unknown[]): string[] {
          const items: string[] = [];
          for (const [name, options] of Object.entries(include as { [name: string]: true | AnyQuery | undefined })) {
            if (options === undefined) continue;
            const query = options === true ? {} : options;
            const texts: string[] = [];
            const destination = destinationOf(model, entity, name);
            if (query.where !== undefined) {
              const { format, values: own } = FilterCompiler.format(model, destination, query.where);
              texts.push(`where=(${format})`);
              values.push(...own);
            }
            if (query.sort !== undefined) texts.push(`sort=${sortText(query.sort)}`);
            if (query.limit !== undefined) texts.push(`limit=${query.limit}`);
            if (query.select !== undefined) {
              texts.push(`select=${query.select.length === 0 ? "_id" : query.select.join(",")}`);
            }
            const step = texts.length === 0 ? name : `${name}(${texts.join(",")})`;
            const inner = includeItems(model, destination, query.include ?? {}, values);
            items.push(
              ...(inner.length === 0 ? [step] : inner.map((item, place) => `${place === 0 ? step : name}.${item}`)),
            );
          }
          return items;
        }

        function destinationOf(model: ModelShape, entity: string, relationship: string): string {
          const shape = ownMember(model, entity);
          const destination = ownMember(shape?.relationships, relationship);
          if (destination !== undefined) return typeof destination === "string" ? destination : destination[0] ?? "";
          return shape?.parent === undefined ? "" : destinationOf(model, shape.parent, relationship);
        }

        /** Parameters as a query. Texts are quoted, so that they aren't taken for other JSON. */
        function queryText({ parameters, values }: FetchParameters): string {
          const query = new URLSearchParams();
          for (const [name, value] of Object.entries(parameters)) query.append(name, String(value));
          for (const value of values) query.append("arg", JSON.stringify(value));
          const text = query.toString();
          return text === "" ? "" : `?${text}`;
        }

        /** A body: bytes in base64, and objects that were read in the place of values as their references. */
        function body(value: unknown, isNested = false): unknown {
          if (Array.isArray(value)) return value.map((member) => body(member, true));
          if (value instanceof Uint8Array) return base64(value);
          if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${value} can't be a value.`);
          if (typeof value !== "object" || value === null || value instanceof Date) return value;
          if (isNested && isObject(value)) return value._id;
          return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, body(member, true)]));
        }

        function base64(bytes: Uint8Array): string {
          let text = "";
          for (let start = 0; start < bytes.length; start += 8192) {
            text += String.fromCharCode(...bytes.subarray(start, start + 8192));
          }
          return btoa(text);
        }
        """#
}
