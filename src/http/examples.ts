import { readFileSync } from 'node:fs'

/** An operation as people of the demo use it. A form has the name of its file instead of the bytes. */
export interface Example {
  params?: Record<string, string | number>
  request?: Record<string, unknown>
  answer?: unknown
}

export interface Examples {
  /** By method and path, such as `POST /api/groups/`. */
  operations: Record<string, Example>
  /** By status. */
  refusals: Record<string, unknown>
  /** The answer 202 to a change of the configuration that another person has to approve. */
  awaiting_approval: unknown
}

interface Content {
  content?: Record<string, { schema: object; example?: unknown }>
}
interface Described {
  parameters?: { name: string; example?: unknown }[]
  requestBody?: Content
  responses?: Record<string, Content>
}

export const examplesFile = new URL('./api-examples.json', import.meta.url)

/** Read when the description is asked for, because a service that nobody asks has no use for them. */
export const readExamples = (): Examples => JSON.parse(readFileSync(examplesFile, 'utf8'))

/** The operation with what it is asked and what it answers in the demo. */
export function withExamples<T extends Described>(name: string, operation: T, examples: Examples): T {
  const { params = {}, request, answer } = examples.operations[name] ?? {}
  const answerOf = (status: string) =>
    status === '202' ? examples.awaiting_approval : status.startsWith('2') ? answer : undefined
  const { parameters, requestBody, responses = {} } = operation
  return {
    ...operation,
    ...(parameters && {
      parameters: parameters.map(each =>
        Object.hasOwn(params, each.name) ? { ...each, example: params[each.name] } : each,
      ),
    }),
    ...(requestBody && { requestBody: withExample(requestBody, request) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, each]) => [status, withExample(each, answerOf(status))]),
    ),
  }
}

/** What a request or an answer holds, with an example of it. */
export function withExample<T extends Content>(holder: T, example: unknown): T {
  if (example === undefined || !holder.content) return holder
  const content = Object.entries(holder.content).map(([type, media]) => [
    type,
    type === 'application/json' || type === 'multipart/form-data' ? { ...media, example } : media,
  ])
  return { ...holder, content: Object.fromEntries(content) }
}
