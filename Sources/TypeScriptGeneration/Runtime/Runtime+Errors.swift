// SPDX-License-Identifier: Apache-2.0

// The error that a request throws.

extension Runtime {
    static let errors = #"""
        // ----- Errors -----

        /** An invalid value, in `errors` of an `OutcropError`. */
        export interface ProblemDetail {
          readonly object?: string;
          readonly property?: string;
          readonly code: string;
          readonly message: string;
          /** The place in the body, such as "/tags/0/name". */
          readonly pointer?: string;
          readonly [member: string]: unknown;
        }

        /** Why a request failed: the server's problem document, or the code "unreachable". */
        export class OutcropError extends Error {
          /** The HTTP status, or 0 if there was no answer. */
          readonly status: number;
          /** A stable code for programs, such as "validation". */
          readonly code: string;
          /** The remedy, if the server knows one. */
          readonly hint: string | undefined;
          /** The place of the first error in the body. */
          readonly pointer: string | undefined;
          /** The position in a predicate or a parameter. */
          readonly position: number | undefined;
          /** All invalid values. */
          readonly errors: readonly ProblemDetail[];
          /** The whole problem document. */
          readonly problem: { readonly [member: string]: unknown };
          /** What identifies the request in the server's log. */
          readonly requestID: string | undefined;
          /** The seconds to wait before the next try. */
          readonly retryAfter: number | undefined;

          constructor(status: number, problem: { readonly [member: string]: unknown }, headers?: Headers) {
            super(text(problem["detail"]) ?? text(problem["title"]) ?? `The server answered with status ${status}.`);
            this.name = "OutcropError";
            this.status = status;
            this.code = text(problem["code"]) ?? "unknown";
            this.hint = text(problem["hint"]);
            this.errors = Array.isArray(problem["errors"]) ? (problem["errors"] as ProblemDetail[]) : [];
            this.pointer = text(problem["pointer"]) ?? this.errors[0]?.pointer;
            this.position = typeof problem["position"] === "number" ? problem["position"] : undefined;
            this.problem = problem;
            this.requestID = headers?.get("X-Request-Id") ?? undefined;
            const seconds = Number(headers?.get("Retry-After") ?? NaN);
            this.retryAfter = seconds >= 0 ? seconds : undefined;
          }

          static async of(response: Response): Promise<OutcropError> {
            const body = await response.text().catch(() => "");
            let problem: unknown;
            try {
              problem = JSON.parse(body);
            } catch {
              problem = { detail: body.slice(0, 500) || undefined };
            }
            const isDocument = typeof problem === "object" && problem !== null;
            return new OutcropError(
              response.status,
              isDocument ? (problem as { [member: string]: unknown }) : {},
              response.headers,
            );
          }

          static unreachable(url: string, reason: unknown): OutcropError {
            const detail = `${url} can't be reached: ${reason instanceof Error ? reason.message : String(reason)}`;
            return new OutcropError(0, { code: "unreachable", detail });
          }
        }

        function text(value: unknown): string | undefined {
          return typeof value === "string" ? value : undefined;
        }
        """#
}
