import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { noSuchEndpoint } from '#kernel/errors.ts'

const style = 'body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}'

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * A page at `/` for a person with a browser where the application is not built. A client that does not ask for HTML gets the 404 of any unknown path. The page says nothing
 * about the installation, because it needs no token.
 */
export function serveWelcome(app: FastifyInstance, has: { docs: boolean }) {
  const page = pageOf(has)
  app.get('/', { schema: { hide: true } }, (request, reply) => {
    reply.header('vary', 'accept')
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) throw noSuchEndpoint()
    return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page)
  })
}

const pageOf = ({ docs }: { docs: boolean }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attest</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Attest</h1>
<p>This is an electronic quality management system: a service with a JSON API below <code>/api</code>.</p>
<ul>
<li>${docs ? '<a href="/docs/">API documentation</a>' : 'The API documentation is switched off here.'}</li>
<li>Its pages are not built here: run <code>npm run build</code> and start again.</li>
</ul>
</main>
</body>
</html>
`
