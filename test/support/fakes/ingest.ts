import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** An event or transaction, as it is on the wire. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks wherever it likes
export type Told = Record<string, any>

/** An error tracker's door, which keeps what it is sent: every byte of it, and the events and transactions in it. */
export async function openIngest() {
  const raw: string[] = []
  const items: { type: string; payload: Told }[] = []
  const waiting = new Set<() => void>()
  /** `hang`: takes everything and never answers. */
  const state: { answer: number | 'hang' } = { answer: 200 }
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await buffer(request)).toString()
    raw.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}\n${body}`)
    const [, ...lines] = body.split('\n').filter(line => line !== '')
    for (let at = 0; at + 1 < lines.length; at += 2)
      items.push({ type: JSON.parse(lines[at]!).type, payload: JSON.parse(lines[at + 1]!) })
    for (const each of waiting) each()
    if (state.answer !== 'hang') response.writeHead(state.answer, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const of = (type: string) => items.filter(each => each.type === type).map(({ payload }) => payload)
  return {
    dsn: `http://public@127.0.0.1:${port}/42`,
    raw,
    items,
    state,
    events: () => of('event'),
    transactions: () => of('transaction'),
    /** Resolves once that many envelopes have come. */
    async received(count: number) {
      while (raw.length < count) await new Promise<void>(done => waiting.add(done))
    },
    clear() {
      raw.length = 0
      items.length = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}
