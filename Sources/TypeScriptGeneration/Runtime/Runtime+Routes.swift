// SPDX-License-Identifier: Apache-2.0

// Requests for lists and changes, in the stores and in drafts.

extension Runtime {
    static let routes = #"""
        // ----- Objects -----

        /** Where objects are: in the stores or in a draft. */
        export class ObjectRoute {
          readonly connection: ServerConnection;
          readonly model: ModelShape;
          /** `/api`, or the path of a draft. */
          readonly path: string;

          constructor(connection: ServerConnection, model: ModelShape, path: string) {
            this.connection = connection;
            this.model = model;
            this.path = path;
          }

          /** The path of an entity's objects. */
          entityPath(entity: string): string {
            return `${this.path}/${encodeURIComponent(ownMember(this.model, entity)?.path ?? entity)}`;
          }

          /** A created object with references to the objects that were created with it, as other answers have it. */
          withReferences(object: unknown): unknown {
            if (object === null || typeof object !== "object") return object;
            const isObject = (value: unknown): value is { _id: string } =>
              value !== null && typeof value === "object" && "_id" in value && "_entity" in value && "_version" in value;
            // The object itself is changed: its tag is known by it.
            const members = object as Record<string, unknown>;
            for (const [name, value] of Object.entries(members)) {
              const isList = Array.isArray(value) && name !== "_changed" && value.length > 0;
              if (isObject(value)) members[name] = value._id;
              else if (isList && value.every(isObject)) delete members[name];
            }
            return object;
          }

          /** The path of an object: references are paths already. */
          objectPath(entity: string, target: AnyTarget): string {
            if (typeof target === "number") return `${this.entityPath(entity)}/${target}`;
            return `${this.path}/${typeof target === "string" ? target : target._id}`;
          }

          /** A page of a list. A query that is too long for an address is sent as a body, to `fetch`. */
          async page<T>(
            path: string,
            entity: string,
            query: AnyQuery,
            more: QueryParameters = {},
            canPost = true,
          ): Promise<ResultPage<T>> {
            const answer = await this.list<ListAnswer<T>>(path, entity, query, more, canPost);
            return new ResultPage<T>(answer, (cursor) => this.page(path, entity, { ...query, cursor }, more, canPost));
          }

          async list<Answer>(
            path: string,
            entity: string,
            query: AnyQuery,
            more: QueryParameters = {},
            canPost = true,
          ): Promise<Answer> {
            const { parameters, values } = fetchParameters(this.model, entity, query);
            const all = { ...parameters, ...more };
            const text = queryText({ parameters: all, values });
            const signal = signalOf(query);
            if (!canPost || text.length <= 4000) {
              return this.connection.json({ method: "GET", path: path + text, ...signal });
            }
            const json = { ...all, args: values };
            return this.connection.json({ method: "POST", path: `${path}/fetch`, json, isRepeatable: true, ...signal });
          }

          events(
            path: string,
            entity: string,
            query: AnyQuery,
            more: QueryParameters = {},
          ): AsyncGenerator<ServerEvent, void, undefined> {
            const { parameters, values } = fetchParameters(this.model, entity, query);
            const text = queryText({ parameters: { ...parameters, ...more }, values });
            return serverEvents(this.connection, path + text, query.signal);
          }

          /** Sends a change. */
          async write<T>(
            method: string,
            path: string,
            json: unknown,
            options: WriteOptions,
            query: QueryParameters = {},
          ): Promise<T> {
            const parameters = options.dryRun ? { ...query, dryRun: true } : query;
            const headers = writeHeaders(method, options);
            const call: Writable<RequestCall> = {
              method,
              path: path + queryText({ parameters, values: [] }),
              headers,
              ...signalOf(options),
            };
            if (json !== undefined) call.json = json;
            if (method === "POST") call.isRepeatable = true;
            return this.connection.json<T>(call);
          }
        }

        function signalOf(options: RequestOptions): RequestOptions {
          return options.signal === undefined ? {} : { signal: options.signal };
        }
        """#
}
