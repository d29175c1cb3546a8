// SPDX-License-Identifier: Apache-2.0

// The requests behind these types.

extension Runtime {
    static let requests = #"""
        // ----- Requests of collections -----

        type AnyTarget = string | number | { readonly _id: string };

        /** The requests behind `ObjectMembers`, and those that `EntityCollection` shares with it. They have no types. */
        class ListRequests {
          readonly entity: string;
          protected readonly route: ObjectRoute;
          protected readonly path: string;
          /** Whether a long query may be sent as a body. */
          protected readonly canPost: boolean;

          constructor(route: ObjectRoute, entity: string, path: string, canPost = false) {
            this.route = route;
            this.entity = entity;
            this.path = path;
            this.canPost = canPost;
          }

          async fetch(query: AnyQuery = {}): Promise<ResultPage<unknown>> {
            return this.route.page(this.path, this.entity, query, {}, this.canPost);
          }

          async *pages(query: AnyQuery = {}): AsyncGenerator<ResultPage<unknown>, void, undefined> {
            for (
              let page: ResultPage<unknown> | null = await this.fetch(query);
              page !== null;
              page = await page.next()
            ) {
              yield page;
            }
          }

          async *each(query: AnyQuery = {}): AsyncGenerator<unknown, void, undefined> {
            for await (const page of this.pages(query)) yield* page.items;
          }

          async count(query: AnyQuery = {}): Promise<number> {
            const more = { result: "count" };
            const answer = await this.route.list<{ count: number }>(this.path, this.entity, query, more, this.canPost);
            return answer.count;
          }

          async references(query: AnyQuery = {}): Promise<ResultPage<string>> {
            return this.route.page(this.path, this.entity, query, { result: "ids" }, this.canPost);
          }

          async set(members: unknown, options: WriteOptions = {}): Promise<void> {
            await this.route.write("PUT", this.path, body(members, true), options);
          }

          async add(members: readonly unknown[], options: WriteOptions = {}): Promise<void> {
            await this.route.write("POST", this.path, members.map((member) => referenceOf(member) ?? member), options);
          }

          async create(values: unknown, options: WriteOptions = {}): Promise<unknown> {
            return this.route.withReferences(await this.route.write("POST", this.path, body(values), options));
          }

          async place(member: AnyTarget, at?: number, options: WriteOptions = {}): Promise<void> {
            await this.route.write("PUT", this.memberPath(member), undefined, options, at === undefined ? {} : { at });
          }

          async remove(member: AnyTarget, options: WriteOptions = {}): Promise<void> {
            await this.route.write("DELETE", this.memberPath(member), undefined, options);
          }

          private memberPath(member: AnyTarget): string {
            const reference = this.route.objectPath(this.entity, member);
            return this.path + reference.slice(reference.lastIndexOf("/"));
          }
        }

        /** The requests behind `RelatedLink`. */
        class LinkRequests {
          private readonly route: ObjectRoute;
          private readonly entity: string;
          private readonly path: string;

          constructor(route: ObjectRoute, entity: string, path: string) {
            this.route = route;
            this.entity = entity;
            this.path = path;
          }

          async get(options: AnyQuery = {}): Promise<unknown> {
            return orNull(this.route.list(this.path, this.entity, options, {}, false));
          }

          async set(object: unknown, options: WriteOptions = {}): Promise<void> {
            await this.route.write("PUT", this.path, body(object, true), options);
          }
        }

        /** The requests behind `EntityCollection`. */
        class CollectionRequests extends ListRequests {
          constructor(route: ObjectRoute, entity: string) {
            super(route, entity, route.entityPath(entity), true);
          }

          async first(query: AnyQuery = {}): Promise<unknown> {
            return (await this.fetch({ ...query, limit: 1 })).items[0] ?? null;
          }

          async table(query: AnyQuery): Promise<ResultPage<unknown>> {
            return this.route.page(this.path, this.entity, query, { result: "dictionary" });
          }

          async get(target: AnyTarget, options: AnyQuery = {}): Promise<unknown> {
            return this.route.list(this.route.objectPath(this.entity, target), this.entity, options, {}, false);
          }

          async find(target: AnyTarget, options: AnyQuery = {}): Promise<unknown> {
            return orNull(this.get(target, options));
          }

          live(query: AnyQuery = {}): AsyncGenerator<LiveList<unknown>, void, undefined> {
            return liveLists(this.events(query, {}));
          }

          async *liveCount(query: AnyQuery = {}): AsyncGenerator<number, void, undefined> {
            for await (const event of this.events(query, { result: "count" })) {
              yield (event.data as { count: number }).count;
            }
          }

          async *liveTable(query: AnyQuery): AsyncGenerator<unknown[], void, undefined> {
            for await (const event of this.events(query, { result: "dictionary" })) {
              yield (event.data as { items: unknown[] }).items;
            }
          }

          private events(query: AnyQuery, more: QueryParameters): AsyncGenerator<ServerEvent, void, undefined> {
            return this.route.events(`${this.path}/live`, this.entity, query, more);
          }

          async history(target: AnyTarget, query: ObjectHistoryQuery = {}): Promise<HistoryPage> {
            const path = `${this.route.objectPath(this.entity, target)}/history${historyText(query)}`;
            return this.route.connection.json({ method: "GET", path, ...signalOf(query) });
          }

          async createAll(values: readonly unknown[], options: WriteOptions = {}): Promise<unknown[]> {
            const created = await this.route.write<{ items: unknown[] }>("POST", this.path, body(values), options);
            return created.items.map((object) => this.route.withReferences(object));
          }

          async upsert(values: unknown, options: WriteOptions = {}): Promise<unknown> {
            return this.create(values, { merge: "overwrite", ...options });
          }

          async update(target: AnyTarget, changes: unknown, options: WriteOptions = {}): Promise<unknown> {
            return this.route.write("PATCH", this.route.objectPath(this.entity, target), body(changes), options);
          }

          async replace(target: AnyTarget, values: unknown, options: WriteOptions = {}): Promise<unknown> {
            return this.route.write("PUT", this.route.objectPath(this.entity, target), body(values), options);
          }

          async delete(target: AnyTarget, options: WriteOptions = {}): Promise<void> {
            await this.route.write("DELETE", this.route.objectPath(this.entity, target), undefined, options);
          }

          async previewDelete(target: AnyTarget, options: WriteOptions = {}): Promise<DeletionPreview> {
            const path = this.route.objectPath(this.entity, target);
            return this.route.write("DELETE", path, undefined, { ...options, dryRun: true });
          }

          members(target: AnyTarget, name: string): ListRequests {
            return new ListRequests(this.route, this.destination(name), this.partPath(target, name));
          }

          related(target: AnyTarget, name: string): LinkRequests {
            return new LinkRequests(this.route, this.destination(name), this.partPath(target, name));
          }

          async fetched(target: AnyTarget, name: string, query: AnyQuery = {}): Promise<ResultPage<unknown>> {
            return this.route.page(this.partPath(target, name), this.destination(name), query, {}, false);
          }

          bytes(target: AnyTarget, name: string): BytesAttribute {
            return new BytesAttribute(this.route, this.partPath(target, name));
          }

          private destination(name: string): string {
            return destinationOf(this.route.model, this.entity, name);
          }

          private partPath(target: AnyTarget, name: string): string {
            return `${this.route.objectPath(this.entity, target)}/${encodeURIComponent(name)}`;
          }

          async batchInsert(rows: Iterable<unknown>, options: BatchInsertOptions = {}): Promise<unknown> {
            const { signal: _, author: _author, idempotencyKey: _key, merge: _merge, ...given } = options;
            const path = `${this.path}/batch-insert${queryText({ parameters: given, values: [] })}`;
            const headers = { ...writeHeaders("POST", options), "Content-Type": "application/x-ndjson" };
            // A batch in chunks isn't one step, so that it can't be repeated as one.
            const isRepeatable = options.chunk === undefined;
            if (!isRepeatable) delete (headers as { [name: string]: string })["Idempotency-Key"];
            const content = Array.from(rows, (row) => JSON.stringify(body(row)) + "\n").join("");
            const call = { method: "POST", path, headers, content, isRepeatable, ...signalOf(options) };
            return this.route.connection.json(call);
          }

          async batchUpdate(objects: object, set: unknown, options: BatchOptions = {}): Promise<unknown> {
            return this.batch("batch-update", { ...this.selected(objects), set: body(set) }, options);
          }

          async batchDelete(objects: object, options: BatchOptions = {}): Promise<unknown> {
            return this.batch("batch-delete", this.selected(objects), options);
          }

          private selected(objects: { readonly where?: unknown }): object {
            if (objects.where === undefined) return objects;
            // A value that is missing by mistake mustn't select more objects than meant.
            const { format, values } = FilterCompiler.format(this.route.model, this.entity, objects.where, false);
            if (format === "TRUEPREDICATE") {
              throw new TypeError("The batch has no condition; all objects are { all: true }.");
            }
            return { where: format, args: values };
          }

          private async batch(name: string, json: object, options: BatchOptions): Promise<unknown> {
            const { max, result, strict, dryRun, ...others } = options;
            return this.route.write("POST", `${this.path}/${name}`, { ...json, max, result, strict, dryRun }, others);
          }
        }

        /** The objects of an entity, without types: the client declares it as an `EntityCollection`. */
        function collectionOf(route: ObjectRoute, entity: string): any {
          return new CollectionRequests(route, entity);
        }

        async function orNull<T>(object: Promise<T>): Promise<T | null> {
          try {
            return await object;
          } catch (error) {
            if (error instanceof OutcropError && error.status === 404 && error.code === "not-found") return null;
            throw error;
          }
        }
        """#
}
