// SPDX-License-Identifier: Apache-2.0

// Editing contexts, and the class of clients.

extension Runtime {
    static let drafts = #"""
        // ----- Drafts -----

        export interface DraftSettings {
          /** For people. */
          readonly name?: string;
          /** What a save does about conflicts, unless it says otherwise: "error" by default. */
          readonly mergePolicy?: MergePolicy;
          /** Whether saves of others appear at once, beneath the draft's changes: true by default. */
          readonly automaticallyMergesChanges?: boolean;
          /** The roles whose identities may use the draft, too. */
          readonly sharedWith?: readonly string[];
        }
        export interface DraftSummary {
          readonly context: string;
          readonly name?: string;
          readonly mergePolicy: MergePolicy;
          readonly automaticallyMergesChanges: boolean;
          readonly parent?: string;
          readonly created: DateTime;
          readonly expires: DateTime;
        }
        /** What is pending in a draft. */
        export interface DraftCounts {
          readonly hasChanges: boolean;
          readonly inserted: number;
          readonly updated: number;
          readonly deleted: number;
          /** The number of steps that can be undone, and redone. */
          readonly undo: number;
          readonly redo: number;
        }
        export interface DraftStatus extends DraftSummary, DraftCounts {
          readonly conflicts: number;
          readonly children: readonly string[];
        }
        /** What a save would write. */
        export interface DraftChanges {
          readonly inserted: readonly EntityObject<EntityName, "draft">[];
          readonly updated: readonly {
            readonly _id: ObjectReference;
            readonly _version: number;
            /** "deleted" if others have deleted the object. */
            readonly conflict?: string;
            readonly properties: { readonly [name: string]: PropertyChange };
          }[];
          readonly deleted: readonly ObjectReference[];
        }
        /** A changed value or relationship. In a conflict, others have changed the property as well. */
        export interface PropertyChange {
          readonly old?: JSONValue;
          readonly new?: JSONValue;
          readonly base?: JSONValue;
          readonly stored?: JSONValue;
          readonly conflict?: boolean;
          readonly added?: readonly string[];
          readonly removed?: readonly string[];
          readonly [member: string]: unknown;
        }
        export interface DraftValidation {
          readonly valid: boolean;
          readonly errors: readonly ProblemDetail[];
        }
        export interface DraftSave extends WrittenChanges {
          /** The references of new objects by their temporary ones. */
          readonly ids: { readonly [temporary: string]: string };
        }
        /** What others have saved beneath a draft. */
        export interface DraftMerge {
          readonly inserted: readonly DraftMergedObject[];
          readonly updated: readonly DraftMergedObject[];
          readonly deleted: readonly DraftMergedObject[];
          readonly source: string;
          /** Whether more has changed than is named: read again. Also the first event after a broken connection. */
          readonly incomplete?: boolean;
        }
        export interface DraftMergedObject {
          readonly _id: ObjectReference;
          readonly properties?: readonly string[];
          readonly conflict?: readonly string[];
        }

        /** Changes that others see only after they are saved. */
        export abstract class ObjectDraft<Child> {
          /** The name on the server, such as "c1". */
          readonly id: string;
          protected readonly route: ObjectRoute;
          private readonly opening: (id: string) => Child;

          constructor(route: ObjectRoute, id: string, opening: (id: string) => Child) {
            this.id = id;
            this.opening = opening;
            this.route = new ObjectRoute(route.connection, route.model, `/api/contexts/${encodeURIComponent(id)}`);
          }

          async status(options: RequestOptions = {}): Promise<DraftStatus> {
            return this.route.connection.json({ method: "GET", path: this.route.path, ...signalOf(options) });
          }

          /** Everything that a save would write. */
          async changes(options: RequestOptions = {}): Promise<DraftChanges> {
            return this.route.connection.json({
              method: "GET",
              path: `${this.route.path}/changes`,
              ...signalOf(options),
            });
          }

          /** Undoes the last request that has changed something. */
          async undo(): Promise<DraftCounts> {
            return this.step("undo");
          }

          async redo(): Promise<DraftCounts> {
            return this.step("redo");
          }

          /** Discards everything that is pending. */
          async rollback(): Promise<DraftCounts> {
            return this.step("rollback");
          }

          /** Discards everything that is pending, and all objects that were read. */
          async reset(): Promise<DraftCounts> {
            return this.step("reset");
          }

          /** Reads objects again, all without references. Edits are kept unless `mergeChanges` is false. */
          async refresh(ids?: readonly ObjectReference[], mergeChanges = true): Promise<DraftCounts> {
            return this.step("refresh", ids === undefined ? { mergeChanges } : { ids, mergeChanges });
          }

          /** What a save would report. */
          async validate(): Promise<DraftValidation> {
            return this.step("validate");
          }

          /** Saves to the stores, or into the parent. The draft stays open. */
          async save(
            options: Pick<WriteOptions, "merge" | "author" | "returnChanges" | "signal"> = {},
          ): Promise<DraftSave> {
            return this.route.write("POST", `${this.route.path}/save`, undefined, options);
          }

          /** Ends the draft with its children, and discards what is pending. */
          async discard(): Promise<void> {
            await this.route.write("DELETE", this.route.path, undefined, {});
          }

          /** Opens a draft that saves into this one. */
          async child(settings: DraftSettings = {}): Promise<Child> {
            const json = { ...settings, parent: this.id };
            const status = await this.route.write<DraftStatus>("POST", "/api/contexts", json, {});
            return this.opening(status.context);
          }

          /** What others save beneath the draft, as it happens. */
          async *merges(options: RequestOptions = {}): AsyncGenerator<DraftMerge, void, undefined> {
            for await (const event of serverEvents(this.route.connection, `${this.route.path}/events`, options.signal)) {
              const merge = event.data as DraftMerge;
              yield event.isAfterBreak ? { ...merge, incomplete: true } : merge;
            }
          }

          /** Several operations in one step. */
          async transaction(
            build: (transaction: TransactionBuilder<"draft">) => void,
            options: WriteOptions = {},
          ): Promise<TransactionResult> {
            return transact(this.route, build, options);
          }

          private async step<T>(name: string, json?: object): Promise<T> {
            return this.route.write("POST", `${this.route.path}/${name}`, json, {});
          }
        }

        /** The drafts on a server. */
        export class DraftList<Draft> {
          private readonly route: ObjectRoute;
          private readonly opening: (id: string) => Draft;

          constructor(route: ObjectRoute, opening: (id: string) => Draft) {
            this.route = route;
            this.opening = opening;
          }

          async open(settings: DraftSettings = {}): Promise<Draft> {
            const status = await this.route.write<DraftStatus>("POST", "/api/contexts", settings, {});
            return this.opening(status.context);
          }

          /** A draft that was opened before, by its name such as "c1". */
          get(id: string): Draft {
            return this.opening(id);
          }

          async list(options: RequestOptions = {}): Promise<readonly DraftSummary[]> {
            const answer = await this.route.connection.json<{ items: DraftSummary[] }>({
              method: "GET",
              path: "/api/contexts",
              ...signalOf(options),
            });
            return answer.items;
          }
        }

        /** What a client has besides the objects of its model. */
        export abstract class ObjectClient<Draft> {
          readonly drafts: DraftList<Draft>;
          readonly history: ServerHistory;
          readonly connection: ServerConnection;
          protected readonly route: ObjectRoute;

          constructor(connection: ServerConnection, opening: (route: ObjectRoute, id: string) => Draft) {
            this.connection = connection;
            this.route = new ObjectRoute(connection, modelShape, "/api");
            this.drafts = new DraftList(this.route, (id) => opening(this.route, id));
            this.history = new ServerHistory(connection);
          }

          /** Several operations in one save, all or nothing. */
          async transaction(
            build: (transaction: TransactionBuilder) => void,
            options: WriteOptions = {},
          ): Promise<TransactionResult> {
            return transact(this.route, build, options);
          }
        }
        """#
}
