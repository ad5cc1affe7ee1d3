import { readFileSync } from 'node:fs'

/** An operation as people of the demo use it. A form has the name of its file instead of the bytes. */
export interface Example {
  params?: Record<string, string | number>
  request?: Record<string, unknown>
  answer?: unknown
  /** Where an operation is used in several ways: the name of this one, and the others by theirs. */
  variant?: string
  variants?: Record<string, Pick<Example, 'request' | 'answer'>>
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
  content?: Record<string, { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }>
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
  const { params = {}, request, answer, variant = '', variants = {} } = examples.operations[name] ?? {}
  const others = Object.entries(variants)
  /** The example alone, or all of them by their names. */
  const withAll = <H extends Content>(holder: H, of: 'request' | 'answer', example: unknown): H =>
    others.length === 0
      ? withExample(holder, example)
      : withVariants(holder, Object.fromEntries([[variant, example], ...others.map(([way, each]) => [way, each[of]])]))
  const { parameters, requestBody, responses = {} } = operation
  return {
    ...operation,
    ...(parameters && {
      parameters: parameters.map(each =>
        Object.hasOwn(params, each.name) ? { ...each, example: params[each.name] } : each,
      ),
    }),
    ...(requestBody && { requestBody: withAll(requestBody, 'request', request) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, each]) => [
        status,
        status === '202'
          ? withExample(each, examples.awaiting_approval)
          : status.startsWith('2')
            ? withAll(each, 'answer', answer)
            : each,
      ]),
    ),
  }
}

/** What a request or an answer holds, with an example of it. */
export function withExample<T extends Content>(holder: T, example: unknown): T {
  return example === undefined ? holder : withMedia(holder, { example })
}

const withVariants = <T extends Content>(holder: T, values: Record<string, unknown>): T =>
  withMedia(holder, {
    examples: Object.fromEntries(Object.entries(values).map(([way, value]) => [way, { value }])),
  })

function withMedia<T extends Content>(holder: T, more: object): T {
  if (!holder.content) return holder
  const content = Object.entries(holder.content).map(([type, media]) => [
    type,
    type === 'application/json' || type === 'multipart/form-data' ? { ...media, ...more } : media,
  ])
  return { ...holder, content: Object.fromEntries(content) }
}
