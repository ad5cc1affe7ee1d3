/** The cookies of a browser. The edge alone writes them; null takes one away. */
export interface BrowserCookies {
  /** Of its session. */
  session?: string | null
  /** Of a log-in by a provider that has begun. */
  login?: string | null
}

/** The answer of an action that begins or ends something at a browser. */
export class CookieAnswer {
  readonly body: unknown
  readonly cookies: BrowserCookies
  constructor(body: unknown, cookies: BrowserCookies) {
    this.body = body
    this.cookies = cookies
  }
}

/** The answer together with the cookie of the session, in the place of the answer alone. */
export const withSession = <T>(body: T, session: string | null): T => new CookieAnswer(body, { session }) as T

/** The answer together with the cookie of a log-in that has begun. */
export const withLogin = <T>(body: T, login: string): T => new CookieAnswer(body, { login }) as T

/** The answer of an open action whose `answer` is `redirect`. */
export class RedirectAnswer {
  readonly location: string
  readonly cookies: BrowserCookies
  constructor(location: string, cookies: BrowserCookies = {}) {
    this.location = location
    this.cookies = cookies
  }
}
