import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { permissions } from '#kernel/catalogue.ts'
import { readExamples, withExample, withExamples } from './examples.ts'
import { messages } from './messages.ts'

const params = { type: 'object', description: 'The facts of the sentence, by name', additionalProperties: true }
const code = { type: 'string', description: 'Names the reason; docs/messages.md lists all codes with their sentences' }
const refusal = {
  type: 'object',
  required: ['detail', 'code', 'params'],
  properties: { detail: { type: 'string' }, code, params },
}
const validation = {
  type: 'object',
  required: ['detail', 'code', 'params'],
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        required: ['loc', 'msg', 'type', 'params'],
        properties: {
          loc: { type: 'array', items: { type: ['string', 'integer'] } },
          msg: { type: 'string' },
          type: code,
          params,
        },
      },
    },
    code,
    params,
  },
}
const failure = {
  type: 'object',
  required: ['detail', 'code', 'params', 'request_id'],
  properties: { detail: { type: 'string' }, code, params, request_id: { type: 'string' } },
}

const answer = (description: string, schema: object, example?: object) => ({
  description,
  content: { 'application/json': { schema, ...(example && { example }) } },
})
const { code: reference, params: none, text } = messages.internal_error()
const failed = { detail: text, code: reference, params: none, request_id: '6f1f4a3e-2b7d-4c53-9a41-0d6c5e8b7a90' }

/**
 * What most operations answer too, said once: the description would be twice as long with each of them in every operation, and a browser
 * needs seconds to show it.
 */
const refusals = {
  BadRequest: { status: 400, ...answer('The body does not match its content type', refusal) },
  NotAuthenticated: { status: 401, ...answer('No token or session, or one that is not valid', refusal) },
  Forbidden: { status: 403, ...answer('The permission is missing', refusal) },
  NotFound: { status: 404, ...answer('No such record', refusal) },
  Conflict: { status: 409, ...answer('The state or the revision of the record does not allow it', refusal) },
  TooLarge: { status: 413, ...answer('The body is too large', refusal) },
  UnsupportedType: { status: 415, ...answer('The content type is not accepted here', refusal) },
  NoSuchRange: { status: 416, ...answer('The file has none of the bytes that `Range` asks for', refusal) },
  NotValid: { status: 422, ...answer('Every value that is not valid, and why', validation) },
  TooMany: { status: 429, ...answer('Too many requests; `Retry-After` says when to come again', refusal) },
  Failed: {
    status: 500,
    ...answer('An error on our side; quote the request_id', failure, failed),
  },
  Refused: { status: 'default', ...answer('Any other refusal', refusal) },
}
const refer = (...names: (keyof typeof refusals)[]) =>
  Object.fromEntries(names.map(name => [refusals[name].status, { $ref: `#/components/responses/${name}` }]))

interface Content {
  $ref?: string
  content?: Record<string, { schema: object }>
}
type Operation = {
  security?: unknown[]
  parameters?: { name: string }[]
  requestBody?: Content
  responses?: Record<string, Content>
  'x-permission'?: keyof typeof permissions
  description?: string
}

/** The area of the API that a path belongs to, as `documents` in `/api/documents/:id`. */
export const areaOf = (url: string) => url.split('/')[2] ?? ''

/** SVC-02: the API's description, made from the routes that are mounted later. */
export async function describeApi(app: FastifyInstance, version: string) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Attest',
        version,
        description:
          'Controlled documents, deviations, CAPA, training, electronic signatures and the audit trail of a regulated company.',
      },
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'A token by POST /api/auth/token, or the key of a service account.',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-attest',
            description: "Of the service's own pages, by POST /api/auth/session. Other sites cannot send it.",
          },
        },
      },
    },
    // The refusals of an operation follow from its method, path and body, so no route lists them.
    transformObject: document => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const examples = readExamples()
      const responses = Object.entries(refusals).map(([name, { status, ...response }]) => [
        name,
        withExample(response, examples.refusals[status]),
      ])
      document.openapiObject.components = {
        ...document.openapiObject.components,
        responses: Object.fromEntries(responses),
      }
      for (const [path, item] of Object.entries(document.openapiObject.paths ?? {})) {
        const methods = item as Record<string, Operation>
        for (const [method, operation] of Object.entries(methods)) {
          operation.responses = {
            ...operation.responses,
            ...refer('NotValid', 'Failed', 'Refused'),
            ...(operation.security && refer('TooMany')),
            ...(operation.requestBody !== undefined && refer('BadRequest', 'TooLarge', 'UnsupportedType')),
            ...((method !== 'get' || path.includes('{')) && refer('Conflict')),
            ...(operation.responses?.[206] !== undefined && refer('NoSuchRange')),
            ...(operation.security && refer('NotAuthenticated', 'Forbidden')),
            ...(path.includes('{') && refer('NotFound')),
          }
          const permission = operation['x-permission']
          if (permission)
            operation.description = [
              operation.description,
              `Needs the permission \`${permission}\`: ${permissions[permission]}.`,
            ]
              .filter(Boolean)
              .join('\n\n')
          methods[method] = withExamples(`${method.toUpperCase()} ${path}`, operation, examples)
        }
      }
      return document.openapiObject
    },
  })
}
