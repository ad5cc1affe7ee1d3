/** The people of a demo, and their one password. */
export interface Demo {
  password: string
  people: { username: string; full_name: string; role: string; can: string }[]
}

/** What the page of a demo says of its people (src/http/pages.ts); undefined elsewhere. */
export function demoOf(page: Document): Demo | undefined {
  const told = page.querySelector<HTMLMetaElement>('meta[name="attest-demo"]')?.content
  return told === undefined ? undefined : (JSON.parse(told) as Demo)
}
