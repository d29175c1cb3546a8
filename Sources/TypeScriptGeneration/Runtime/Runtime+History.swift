// SPDX-License-Identifier: Apache-2.0

// What has changed in the stores.

extension Runtime {
    static let history = #"""
        // ----- History -----

        /** Which transactions, of one object. */
        export interface ObjectHistoryQuery extends RequestOptions {
          /** The position behind which to begin; by default the beginning of what is kept. */
          readonly since?: string;
          readonly author?: string;
          readonly from?: Date | DateTime;
          readonly until?: Date | DateTime;
          readonly kind?: HistoryKind | readonly HistoryKind[];
          readonly limit?: number;
        }
        export interface HistoryQuery extends ObjectHistoryQuery {
          readonly entity?: EntityName | readonly EntityName[];
          readonly object?: ObjectReference | { readonly _id: ObjectReference };
        }
        export type HistoryKind = "inserted" | "updated" | "deleted";

        export interface HistoryPage {
          readonly transactions: readonly HistoryTransaction[];
          /** The position behind these transactions, for `since`. */
          readonly token: string;
          /** Whether there are more. */
          readonly more: boolean;
        }
        export interface HistoryTransaction {
          readonly token: string;
          readonly time: DateTime;
          readonly author: string | null;
          readonly context: string | null;
          readonly changes: readonly HistoryChange[];
          /** Whether further changes of the same transaction follow. */
          readonly more?: boolean;
        }
        export interface HistoryChange {
          readonly _id: ObjectReference;
          readonly _entity: EntityName;
          readonly change: HistoryKind;
          /** The changed properties of an update, or null if they aren't known. */
          readonly properties?: readonly string[] | null;
          /** What is kept of a deleted object. */
          readonly tombstone?: { readonly [attribute: string]: JSONValue };
        }

        /** What has changed in the stores, by whom and when. */
        export class ServerHistory {
          private readonly connection: ServerConnection;

          constructor(connection: ServerConnection) {
            this.connection = connection;
          }

          /** Transactions, oldest first. */
          async fetch(query: HistoryQuery = {}): Promise<HistoryPage> {
            return this.connection.json({ method: "GET", path: `/api/history${historyText(query)}`, ...signalOf(query) });
          }

          /** The present position, to begin with. */
          async token(options: RequestOptions = {}): Promise<string> {
            return (await this.fetch({ limit: 0, ...options })).token;
          }

          /** Transactions as they are made, none left out; without `since` from now on. */
          async *stream(query: Omit<HistoryQuery, "limit"> = {}): AsyncGenerator<HistoryTransaction, void, undefined> {
            for await (
              const event of serverEvents(this.connection, `/api/history/stream${historyText(query)}`, query.signal)
            ) {
              if (event.name === "transaction") yield event.data as HistoryTransaction;
            }
          }
        }

        function historyText(query: HistoryQuery): string {
          const { signal: _, ...parameters } = query;
          const text = new URLSearchParams();
          for (const [name, value] of Object.entries(parameters)) {
            for (const one of Array.isArray(value) ? value : [value]) {
              if (one !== undefined) text.append(name, String(argument(one)));
            }
          }
          const all = text.toString();
          return all === "" ? "" : `?${all}`;
        }
        """#
}
