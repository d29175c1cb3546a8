// SPDX-License-Identifier: Apache-2.0

// Sends requests, and repeats them where that is safe.

extension Runtime {
    static let connection = #"""
        // ----- Requests -----

        /**
         * A token for `Authorization`, or a function that returns it for each request. After an answer 401 the function is
         * called again with the refused token; if it returns another one, the request is repeated.
         */
        export type TokenSource = string | ((refused?: string) => string | undefined | Promise<string | undefined>);

        export interface ConnectionOptions {
          readonly token?: TokenSource;
          /** Header fields of all requests. */
          readonly headers?: { readonly [name: string]: string };
          /** How often a request is repeated that had no answer or found the server busy: 3 by default. */
          readonly retries?: number;
          /** Whether, or as which version, the server is told the model that this file was generated from. */
          readonly acceptModel?: boolean | string;
          /** Another implementation of `fetch`. */
          readonly fetch?: typeof fetch;
        }

        interface RequestCall extends RequestOptions {
          readonly method: string;
          /** From `/api`. */
          readonly path: string;
          readonly headers?: { readonly [name: string]: string };
          /** JSON. */
          readonly json?: unknown;
          /** Any other body. */
          readonly content?: NonNullable<RequestInit["body"]>;
          /** Whether a repeat does no harm. */
          readonly isRepeatable?: boolean;
          /** Whether the token isn't sent. */
          readonly isAnonymous?: boolean;
        }

        /** Sends requests to a server. */
        export class ServerConnection {
          readonly url: string;
          token: TokenSource | undefined;
          private readonly options: ConnectionOptions;

          constructor(url: string, options: ConnectionOptions) {
            this.url = url.replace(/\/+$/, "");
            this.token = options.token;
            this.options = options;
          }

          /** The answer as JSON, or undefined if it has no content. */
          async json<T>(call: RequestCall): Promise<T> {
            const response = await this.send({ ...call, headers: { Accept: "application/json", ...call.headers } });
            if (response.status === 202 || response.status === 204) return undefined as T;
            const answer = (await response.json()) as T;
            const tag = response.headers.get("ETag");
            if (tag !== null && typeof answer === "object" && answer !== null) entityTags.set(answer as object, tag);
            return answer;
          }

          /** The answer, if it is one of success. Busy servers and broken connections are tried again. */
          async send(call: RequestCall): Promise<Response> {
            const retries = this.options.retries ?? 3;
            const isRepeatable = call.isRepeatable ?? (call.method === "GET" || call.method === "PUT");
            let token = call.isAnonymous ? undefined : await this.currentToken();
            let hasRenewed = false;
            for (let attempt = 0;; attempt += 1) {
              let response: Response;
              try {
                response = await this.fetch(call, token);
              } catch (error) {
                if (call.signal?.aborted) throw error;
                if (!isRepeatable || attempt >= retries) throw OutcropError.unreachable(this.url + call.path, error);
                await pause(250 * 2 ** attempt, call.signal);
                continue;
              }
              if (response.ok) return response;
              const problem = await OutcropError.of(response);
              if (problem.status === 401 && token !== undefined && !hasRenewed) {
                hasRenewed = true;
                const other = await this.currentToken(token);
                if (other !== undefined && other !== token) {
                  token = other;
                  continue;
                }
              }
              // These answers say that nothing was done.
              const isBusy = (problem.status === 503 || problem.status === 429) && problem.retryAfter !== undefined;
              if (!isBusy || attempt >= retries) throw problem;
              await pause(Math.min(problem.retryAfter ?? 1, 60) * 1000, call.signal);
            }
          }

          private async fetch(call: RequestCall, token: string | undefined): Promise<Response> {
            const headers: { [name: string]: string } = { ...this.options.headers, ...call.headers };
            const { acceptModel } = this.options;
            if (acceptModel) headers["Accept-Model"] = acceptModel === true ? modelVersion : acceptModel;
            if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
            const request: RequestInit = { method: call.method, headers };
            if (call.json !== undefined) {
              headers["Content-Type"] = "application/json";
              request.body = JSON.stringify(call.json);
            } else if (call.content !== undefined) {
              request.body = call.content;
            }
            if (call.signal !== undefined) request.signal = call.signal;
            return (this.options.fetch ?? fetch)(this.url + call.path, request);
          }

          private async currentToken(refused?: string): Promise<string | undefined> {
            return typeof this.token === "function" ? this.token(refused) : this.token;
          }
        }

        /** The ETags of objects that were read by themselves. */
        const entityTags = new WeakMap<object, string>();

        /** The ETag of an object that was read: by itself or in a list. */
        export function entityTag(object: ObjectIdentity): string {
          return entityTags.get(object) ?? `"${object._version}"`;
        }

        /** The header fields of a write. */
        function writeHeaders(method: string, options: WriteOptions): { [name: string]: string } {
          const headers: { [name: string]: string } = {};
          const { ifMatch, merge, author } = options;
          if (typeof ifMatch === "number") headers["If-Match"] = `"${ifMatch}"`;
          else if (ifMatch !== undefined) {
            headers["If-Match"] = typeof ifMatch === "string" ? ifMatch : entityTag(ifMatch);
          }
          const preferences: string[] = [];
          if (merge !== undefined) preferences.push(`merge=${merge}`);
          if (options.returnChanges) preferences.push("return=changes");
          if (author !== undefined) preferences.push(`author="${fieldText(author).replace(/["\\]/g, "\\$&")}"`);
          if (preferences.length > 0) headers["Prefer"] = preferences.join(", ");
          if (method === "POST") headers["Idempotency-Key"] = options.idempotencyKey ?? newKey();
          return headers;
        }

        /** Text as a header field has it: each byte of its UTF-8 is one character. */
        function fieldText(value: string): string {
          return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
        }

        /** A key that no other request has. `crypto` isn't everywhere. */
        function newKey(): string {
          const random = (): string => Math.random().toString(36).slice(2);
          return globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${random()}${random()}`;
        }

        /** Waits, unless a signal ends it. */
        function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
          return new Promise((resolve, reject) => {
            const stop = (): void => {
              clearTimeout(timer);
              reject(signal?.reason);
            };
            const timer = setTimeout(() => {
              signal?.removeEventListener("abort", stop);
              resolve();
            }, milliseconds);
            if (signal?.aborted) stop();
            else signal?.addEventListener("abort", stop, { once: true });
          });
        }
        """#
}
