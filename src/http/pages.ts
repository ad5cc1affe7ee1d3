import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import statics, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noSuchEndpoint, unavailable } from '#kernel/errors.ts'
import type { Log } from '#platform/log/log.ts'
import { messages } from './messages.ts'

const controlPanel = '/control-panel/'
const built = fileURLToPath(new URL('../../web/dist', import.meta.url))

/** Pages may run and show content of this service and call it, and nothing else. `attest` is the policy of the workers, which read PDFs and compare texts. */
export const pagesPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types attest',
].join('; ')

/** Addresses of programs and of files: the application has no page below them, so an unknown one is refused there. */
const outsideApplication = /^\/(api|docs|assets|control-panel)(\/|$)/

/** A person's browser that opens an address asks for HTML. A program does not, and keeps the 404 in JSON. */
function isForPerson({ method, url, headers }: FastifyRequest) {
  const path = url.split('?', 1)[0]!
  return (
    (method === 'GET' || method === 'HEAD') &&
    !outsideApplication.test(path) &&
    /\btext\/html\b/i.test(headers.accept ?? '')
  )
}

/** The people of a demo, for its log-in page: one password, which is public. */
export interface DemoLogins {
  password: string
  people: readonly { username: string; full_name: string; role: string; can: string }[]
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, character => entities[character]!)

/** The page that begins the application. That of a demo tells it who can log in, so that no other service is even asked. */
function beginning(path: string, demo: DemoLogins | undefined) {
  const page = readFileSync(path, 'utf8')
  if (!demo) return page
  return page.replace('</head>', `<meta name="attest-demo" content="${escaped(JSON.stringify(demo))}" /></head>`)
}

/**
 * Serves the built pages: their files, the operators' page at /control-panel/ (HLTH-06), and the application at every address that is
 * nobody else's. Without built pages everything else is served, and the operators' address says how to build them. Resolves to whether
 * they are built.
 */
export async function servePages(
  app: FastifyInstance,
  log: Log,
  { root = built, demo }: { root?: string; demo?: DemoLogins | undefined } = {},
): Promise<boolean> {
  const index = join(root, 'index.html')
  const assets = join(root, 'assets')
  if (!existsSync(index)) {
    // A command that puts the service together without listening has no use for the pages.
    app.addHook('onListen', done => {
      log.warn('the web pages are not built: run npm run build and start again')
      done()
    })
    app.get(controlPanel, { schema: { hide: true } }, () => {
      throw unavailable(messages.control_panel_not_built())
    })
    app.setNotFoundHandler(() => {
      throw noSuchEndpoint()
    })
    return false
  }
  const options: Omit<FastifyStaticOptions, 'root'> = {
    redirect: false,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('content-security-policy', pagesPolicy)
      // The name of an asset changes with what is in it.
      reply.header('cache-control', path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  }
  // One route for hundreds of files.
  await app.register(statics, { ...options, root: assets, prefix: '/assets/' })
  // With a wildcard, the pages themselves would not be found: trailing slashes are ignored here.
  await app.register(statics, {
    ...options,
    root,
    wildcard: false,
    // The application's own page is at every address, and at none by this name.
    globIgnore: ['index.html', 'assets/**'],
  })
  const page = beginning(index, demo)
  app.setNotFoundHandler((request, reply) => {
    if (!isForPerson(request)) throw noSuchEndpoint()
    return reply
      .code(200)
      .headers({ 'content-security-policy': pagesPolicy, 'cache-control': 'no-cache', vary: 'accept' })
      .type('text/html; charset=utf-8')
      .send(page)
  })
  return true
}
