import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Misbehaviour } from '../fakes/openai.ts'

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
/** A part of an answer by OpenAI's protocol. */
export const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

/** An error as providers write it: with the question in it. */
export const withStatus =
  (status: number, headers: Record<string, string> = {}): Misbehaviour =>
  async (request, response) => {
    const message = `Cannot answer ${request.headers.authorization ?? ''}: CANARY-OF-THE-PROVIDER`
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message, type: 'server_error', code: 'CANARY-OF-THE-PROVIDER' } }))
  }

/** Once who asks has had the time, and the turns of this process, to read what was sent: a reset throws away what was not read. */
export const whenRead = async (next: () => void) => {
  await setTimeout(30)
  for (let turns = 0; turns < 100; turns++) await setImmediate()
  next()
}

let bomb: Buffer | undefined

/** The faults of a model's endpoint. */
export const faults = {
  /** Takes the question and says nothing. */
  hang: () => {},
  hangAfterHeaders: (_request: IncomingMessage, response: ServerResponse) => stream(response).flushHeaders(),
  hangMidStream: (_request: IncomingMessage, response: ServerResponse) =>
    void stream(response).write(chunk({ content: 'The first ' })),
  /** Never silent for long, and never done. */
  dripForEver: (_request: IncomingMessage, response: ServerResponse) => {
    stream(response)
    const timer = setInterval(() => response.write(chunk({ content: 'and ' })), 20)
    response.on('close', () => clearInterval(timer))
  },
  reset: ({ socket }: IncomingMessage) => void socket.resetAndDestroy(),
  resetMidStream: ({ socket }: IncomingMessage, response: ServerResponse) => {
    stream(response).write(chunk({ content: 'The first ' }), () => void whenRead(() => socket.resetAndDestroy()))
  },
  page: (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in: CANARY-OF-THE-PROVIDER</html>'),
  notJson: (_request: IncomingMessage, response: ServerResponse) =>
    void stream(response).end('data: {"choices": [CANARY-OF-THE-PROVIDER\n\n'),
  truncated: (_request: IncomingMessage, response: ServerResponse) =>
    void stream(response).end(chunk({ content: 'The first half of' })),
  errorMidStream: (_request: IncomingMessage, response: ServerResponse) =>
    void stream(response).end(
      `${chunk({ content: 'The first ' })}data: {"error": {"message": "CANARY-OF-THE-PROVIDER", "code": "overloaded"}}\n\n`,
    ),
  wrongLength: ({ socket }: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '100000' })
    response.write(chunk({ content: 'The first ' }), () => void whenRead(() => socket.end()))
  },
  empty: (_request: IncomingMessage, response: ServerResponse) => void stream(response).end(),
  noChoices: (_request: IncomingMessage, response: ServerResponse) =>
    void stream(response).end('data: {"id": "c", "choices": []}\n\ndata: [DONE]\n\n'),
  /** As much as is taken of it. */
  endless: (_request: IncomingMessage, response: ServerResponse) => {
    stream(response)
    const piece = chunk({ content: 'x'.repeat(64 * 1024) })
    const pour = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', pour)
    pour()
  },
  /** One line of 100 MB. */
  hugeLine: (_request: IncomingMessage, response: ServerResponse) => {
    stream(response).write('data: {"id": "')
    let left = 100
    const pour = () => {
      while (!response.destroyed && left-- > 0 && response.write(Buffer.alloc(1024 * 1024, 'x')));
    }
    response.on('drain', pour)
    pour()
  },
  /** 20 MB in 20 kB. */
  bomb: (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
    bomb ??= gzipSync(Buffer.alloc(20 * 1024 * 1024, ': nothing\n'))
    response.end(bomb)
  },
} satisfies Record<string, Misbehaviour>
