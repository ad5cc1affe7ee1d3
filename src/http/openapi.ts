import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { permissions } from '#kernel/catalogue.ts'
import { readExamples, withExamples } from './examples.ts'
import { messages } from './messages.ts'
import { docsPolicy } from './security-headers.ts'

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
const always = {
  422: answer('Every value that is not valid, and why', validation),
  500: answer('An error on our side; quote the request_id', failure, failed),
  default: answer('Any other refusal', refusal),
}
const withBody = {
  400: answer('The body does not match its content type', refusal),
  413: answer('The body is too large', refusal),
  415: answer('The content type is not accepted here', refusal),
}
const byState = { 409: answer('The state or the revision of the record does not allow it', refusal) }
const protectedRoute = {
  401: answer('No token, or one that is not valid', refusal),
  403: answer('The permission is missing', refusal),
}
const ofRecord = {
  404: answer('No such record', refusal),
}

const inParts = { 416: answer('The file has none of the bytes that `Range` asks for', refusal) }

interface Content {
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

/** SVC-02: the API's description, made from the routes, and pages at /docs that load nothing from outside. */
export async function describeApi(app: FastifyInstance, version: string, { hasPages }: { hasPages: boolean }) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Attest',
        version,
        description:
          'Controlled documents, deviations, CAPA, training, electronic signatures and the audit trail of a regulated company.',
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    // The refusals of an operation follow from its method, path and body, so no route lists them.
    transformObject: document => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const examples = readExamples()
      for (const [path, item] of Object.entries(document.openapiObject.paths ?? {})) {
        const methods = item as Record<string, Operation>
        for (const [method, operation] of Object.entries(methods)) {
          operation.responses = {
            ...operation.responses,
            ...always,
            ...(operation.requestBody !== undefined && withBody),
            ...((method !== 'get' || path.includes('{')) && byState),
            ...(operation.responses?.[206] !== undefined && inParts),
            ...(operation.security && protectedRoute),
            ...(path.includes('{') && ofRecord),
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
  if (!hasPages) return
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: docsPolicy,
    uiConfig: { docExpansion: 'none', persistAuthorization: true },
  })
}
