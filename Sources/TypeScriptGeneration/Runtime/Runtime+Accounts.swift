// SPDX-License-Identifier: Apache-2.0

// Signing in, for servers with accounts.

extension Runtime {
    static let accounts = #"""
        // ----- Accounts -----

        /** The tokens of a session. Keep them secret: with them, any client can act as the account. */
        export interface AccountSession {
          readonly token: string;
          readonly refreshToken: string;
          readonly expires: DateTime;
          readonly user: AccountObject;
        }

        export interface AccountIdentity {
          readonly name: string;
          readonly user: AccountObject | null;
          readonly roles: readonly string[];
          readonly claims: { readonly [name: string]: JSONValue };
        }

        /**
         * Signs in and out. Requests get the session's token, and the session is continued in time. A refresh token is
         * valid once: only one client may use a session.
         */
        export class ServerAccounts {
          /** Called with each new session and with null at its end, for example to store it. */
          onChange: ((session: AccountSession | null) => void) | undefined;
          private readonly connection: ServerConnection;
          private current: AccountSession | null = null;
          private continuation: Promise<string | undefined> | undefined;

          constructor(connection: ServerConnection) {
            this.connection = connection;
          }

          get session(): AccountSession | null {
            return this.current;
          }

          /** Continues with a session that was stored. */
          restore(session: AccountSession): void {
            this.use(session);
          }

          /** Makes an account, and signs in. Other values are properties of the new object. */
          async signUp(account: { name?: string; password: string } & AccountProperties): Promise<AccountSession> {
            return this.begin("sign-up", body(account));
          }

          async signIn(name: string, password: string): Promise<AccountSession> {
            return this.begin("sign-in", { name, password });
          }

          /** Ends the session, or all sessions of the account. */
          async signOut(everywhere = false): Promise<void> {
            await this.post("sign-out", { everywhere });
            this.use(null);
          }

          /** Ends the account's other sessions, too. */
          async changePassword(old: string, other: string): Promise<void> {
            await this.post("password", { old, new: other });
          }

          /** Has a message with a token sent, if there is such an account. */
          async requestReset(name: string): Promise<void> {
            await this.post("reset", { name }, true);
          }

          async confirmReset(token: string, password: string): Promise<void> {
            await this.post("reset/confirm", { token, password }, true);
          }

          async verify(token: string): Promise<void> {
            await this.post("verify", { token }, true);
          }

          /** Has another message with a token sent, if the account isn't verified. */
          async requestVerification(): Promise<void> {
            await this.post("verify/request", {});
          }

          /** Who sends the requests. */
          async me(options: RequestOptions = {}): Promise<AccountIdentity> {
            return this.connection.json({ method: "GET", path: "/api/auth/me", ...signalOf(options) });
          }

          private async begin(name: string, json: unknown): Promise<AccountSession> {
            const session = await this.post<AccountSession>(name, json, true);
            this.use(session);
            return session;
          }

          private use(session: AccountSession | null): void {
            this.current = session;
            this.connection.token = session === null ? undefined : (refused) => this.token(refused);
            this.onChange?.(session);
          }

          /** The session's token, or the next one if it is refused or about to expire. */
          private async token(refused: string | undefined): Promise<string | undefined> {
            const session = this.current;
            if (session === null) return undefined;
            const isFresh = Date.parse(session.expires) - Date.now() > 10_000;
            if (session.token !== refused && isFresh) return session.token;
            this.continuation ??= this.next(session).finally(() => (this.continuation = undefined));
            return this.continuation;
          }

          private async next(session: AccountSession): Promise<string | undefined> {
            try {
              return (await this.begin("refresh", { refreshToken: session.refreshToken })).token;
            } catch (error) {
              if (!(error instanceof OutcropError) || error.status !== 401) throw error;
              this.use(null);
              return undefined;
            }
          }

          private async post<T>(name: string, json: unknown, isAnonymous = false): Promise<T> {
            return this.connection.json({ method: "POST", path: `/api/auth/${name}`, json, isAnonymous });
          }
        }
        """#
}
