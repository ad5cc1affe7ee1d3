import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A question as it came in, whichever protocol it came by. */
export interface ModelRequest {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
  system: string
  prompt: string
  /** The JSON schema that the answer is to be valid by, where one was sent apart. */
  schema: unknown
}

/** An answer: its text, or what else there is to it. */
export interface ModelAnswer {
  text?: string
  /** Its pieces; without, of some words each. */
  pieces?: string[]
  finish_reason?: string | null
  usage?: { input: unknown; output: unknown } | null
  tool_call?: { name: string; arguments: string }
  refusal?: string
  /** Before each piece. */
  drip_ms?: number
}
/** An error whose message is a number is answered with that status. */
type Answering = (request: ModelRequest) => string | ModelAnswer | Promise<string | ModelAnswer>
/** Does with a request whatever it likes, instead of answering by the protocol. */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const embedding_dimensions = 64

/**
 * A real server that speaks OpenAI's protocol (chat completions, streamed or whole; embeddings; models), and Anthropic's as far as it is
 * needed. It answers what a test tells it to, and misbehaves as it is told.
 */
export async function openOpenai({ key = 'test-key' }: { key?: string } = {}) {
  const requests: ModelRequest[] = []
  /** GET /models: nobody asks anything. */
  const visits: { headers: IncomingMessage['headers'] }[] = []
  let answering: Answering = () => 'The documents do not say.'
  let embedding: (text: string, index: number) => number[] = wordsVector
  let misbehaviour: Misbehaviour | undefined
  let remaining = Number.POSITIVE_INFINITY

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const path = new URL(request.url ?? '', 'http://model').pathname
    if (request.method === 'GET') {
      visits.push({ headers: request.headers })
      if (misbehaviour) return misbehaviour(request, response)
      return send(response, isKnown(request) ? 200 : 401, {
        object: 'list',
        data: [{ id: 'test-model', object: 'model' }],
      })
    }
    const body = (await json(request)) as Record<string, unknown>
    const asked = requestOf(path, request, body)
    requests.push(asked)
    if (misbehaviour && remaining > 0) {
      remaining -= 1
      return misbehaviour(request, response)
    }
    if (!isKnown(request)) return send(response, 401, { error: { message: `Incorrect API key: ${asked.prompt}` } })
    if (path.endsWith('/embeddings')) return embed(asked, response)
    const given = await Promise.resolve()
      .then(() => answering(asked))
      .catch(({ message }: Error) => Number(message))
    if (typeof given === 'number') return send(response, given || 500, { error: { message: asked.prompt } })
    const answer = typeof given === 'string' ? { text: given } : given
    if (path.endsWith('/messages')) return answerAnthropic(asked, answer, response)
    if (path.endsWith('/chat/completions')) return answerOpenai(asked, answer, response)
    send(response, 404, { error: { message: 'Unknown request URL' } })
  }
  const isKnown = ({ headers }: IncomingMessage) =>
    headers.authorization === `Bearer ${key}` || headers['x-api-key'] === key

  function embed({ body }: ModelRequest, response: ServerResponse) {
    const texts = [body.input].flat() as string[]
    const asBase64 = body.encoding_format === 'base64'
    send(response, 200, {
      object: 'list',
      model: body.model,
      data: texts.map((text, index) => {
        const vector = embedding(text, index)
        const embedded = asBase64 ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector
        return { object: 'embedding', index, embedding: embedded }
      }),
      usage: { prompt_tokens: tokensOf(texts.join(' ')), total_tokens: tokensOf(texts.join(' ')) },
    })
  }

  const server = createServer((request, response) => {
    // Whoever asked may be gone.
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1`
  return {
    port,
    url,
    key,
    requests,
    visits,
    /** The configuration by which the service asks here. */
    environment: { AI_PROVIDER: 'openai-compatible', AI_MODEL: 'test-model', AI_BASE_URL: url, AI_API_KEY: key },
    /** From now on: the text of each answer, or all of it. */
    answer(next: string | ModelAnswer | Answering) {
      answering = typeof next === 'function' ? next : () => next
      misbehaviour = undefined
    },
    embedBy(next: (text: string, index: number) => number[]) {
      embedding = next
    },
    /** From now on, or so many times; undefined: never more. */
    misbehave(next: Misbehaviour | undefined, times = Number.POSITIVE_INFINITY) {
      misbehaviour = next
      remaining = times
    },
    connections: () =>
      new Promise<number>((done, fail) => server.getConnections((error, n) => (error ? fail(error) : done(n)))),
    async close() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}
export type Openai = Awaited<ReturnType<typeof openOpenai>>

function requestOf(path: string, { headers }: IncomingMessage, body: Record<string, unknown>): ModelRequest {
  const messages = (body.messages ?? []) as { role: string; content: unknown }[]
  const textOf = (content: unknown): string =>
    typeof content === 'string'
      ? content
      : ((content ?? []) as { text?: string }[]).map(({ text = '' }) => text).join('')
  const of = (role: string) =>
    messages
      .filter(each => each.role === role)
      .map(({ content }) => textOf(content))
      .join('\n')
  const format = body.response_format as { json_schema?: { schema: unknown } } | undefined
  const [tool] = (body.tools ?? []) as { input_schema: unknown }[]
  return {
    path,
    headers,
    body,
    system: body.system === undefined ? `${of('system')}${of('developer')}` : textOf(body.system),
    prompt: of('user'),
    schema: format?.json_schema?.schema ?? tool?.input_schema,
  }
}

const tokensOf = (text: string) => Math.ceil(text.length / 4)

/** Words in common make vectors alike. */
function wordsVector(text: string): number[] {
  const vector = new Array<number>(embedding_dimensions).fill(0)
  for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? ['']) {
    let hash = 7
    for (const letter of word.slice(0, 5)) hash = (hash * 31 + letter.codePointAt(0)!) % 1_000_003
    vector[hash % embedding_dimensions]! += 1
  }
  return vector
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function piecesOf({ text = '', pieces }: ModelAnswer) {
  return pieces ?? text.match(/[\s\S]{1,24}/g) ?? []
}
const wait = (drip_ms = 0) => (drip_ms > 0 ? new Promise(done => setTimeout(done, drip_ms)) : undefined)
const line = (data: unknown, event?: string) => `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`

function startStream(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return response
}

async function answerOpenai(request: ModelRequest, answer: ModelAnswer, response: ServerResponse) {
  const { finish_reason = 'stop', refusal, tool_call, usage } = answer
  const counted =
    usage === null
      ? undefined
      : {
          prompt_tokens: usage?.input ?? tokensOf(request.system + request.prompt),
          completion_tokens: usage?.output ?? tokensOf(piecesOf(answer).join('')),
        }
  const common = { id: 'chatcmpl-1', created: 1_767_225_600, model: request.body.model }
  const tool_calls = tool_call && [{ index: 0, id: 'call_1', type: 'function', function: tool_call }]
  if (!request.body.stream) {
    const message = { role: 'assistant', content: piecesOf(answer).join(''), refusal, tool_calls }
    return send(response, 200, {
      ...common,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage: counted,
    })
  }
  const chunk = (delta: object, reason: string | null = null) =>
    line({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })
  startStream(response).write(chunk({ role: 'assistant', content: '' }))
  for (const piece of piecesOf(answer)) {
    await wait(answer.drip_ms)
    if (response.destroyed) return
    response.write(chunk({ content: piece }))
  }
  if (refusal !== undefined) response.write(chunk({ refusal }))
  if (tool_calls) response.write(chunk({ tool_calls }))
  response.write(chunk({}, finish_reason))
  if (counted) response.write(line({ ...common, object: 'chat.completion.chunk', choices: [], usage: counted }))
  response.end('data: [DONE]\n\n')
}

const anthropicReasons: Record<string, string> = { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal' }

async function answerAnthropic(request: ModelRequest, answer: ModelAnswer, response: ServerResponse) {
  const stop_reason = request.body.tools ? 'tool_use' : (anthropicReasons[answer.finish_reason ?? 'stop'] ?? 'end_turn')
  const output_tokens = answer.usage?.output ?? tokensOf(piecesOf(answer).join(''))
  const input_tokens = answer.usage?.input ?? tokensOf(request.system + request.prompt)
  const event = (data: { type: string; [field: string]: unknown }) => line(data, data.type)
  // Its way to structured answers: a tool that must be called, and whose arguments are the answer.
  const [tool] = (request.body.tools ?? []) as { name: string }[]
  const block = tool ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} } : { type: 'text', text: '' }
  const delta = (text: string) =>
    tool ? { type: 'input_json_delta', partial_json: text } : { type: 'text_delta', text }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: request.body.model, stop_sequence: null }
  startStream(response).write(
    event({
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { input_tokens, output_tokens: 1 } },
    }) + event({ type: 'content_block_start', index: 0, content_block: block }),
  )
  for (const text of piecesOf(answer)) {
    await wait(answer.drip_ms)
    if (response.destroyed) return
    response.write(event({ type: 'content_block_delta', index: 0, delta: delta(text) }))
  }
  response.end(
    event({ type: 'content_block_stop', index: 0 }) +
      event({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } }) +
      event({ type: 'message_stop' }),
  )
}
