import type { FastifyReply, FastifyRequest } from 'fastify'

const headers = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  // An answer of the API is no page, and may load nothing where one is made of it. A page says what it needs itself.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // Records of one user, on a machine that the next one uses.
  'cache-control': 'no-store',
} as const

/** On every answer. TLS ends at a reverse proxy: where a trusted one says that there was some, the browser is to insist on it. */
export function secure(request: FastifyRequest, reply: FastifyReply) {
  reply.headers(headers)
  if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
}

/** Of the API's documentation, whose pages bring everything but a few styles in files of their own. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
