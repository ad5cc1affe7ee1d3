import type { FastifyReply, FastifyRequest } from 'fastify'

const headers = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  // An answer of the API may load nothing where a browser shows it as a page. Our own pages set a policy of their own.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // The next user of the machine must not find these records.
  'cache-control': 'no-store',
} as const

/** Headers of every answer. TLS ends at a reverse proxy; if a trusted one reports TLS, browsers are told to insist on it. */
export function secure(request: FastifyRequest, reply: FastifyReply) {
  reply.headers(headers)
  if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
}

/** The policy of the API's documentation, whose pages have a few inline styles. */
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
