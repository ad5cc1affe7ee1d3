/** The answer of an action that begins or ends the session of a browser. The edge alone writes the cookie. */
export class SessionAnswer {
  readonly body: unknown
  /** Null takes the cookie away. */
  readonly cookie: string | null
  constructor(body: unknown, cookie: string | null) {
    this.body = body
    this.cookie = cookie
  }
}

/** The answer together with the cookie, in the place of the answer alone. */
export const withSession = <T>(body: T, cookie: string | null): T => new SessionAnswer(body, cookie) as T
