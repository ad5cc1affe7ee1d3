import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import statics from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '#kernel/errors.ts'
import type { Log } from '#platform/log/log.ts'
import { messages } from './messages.ts'

const prefix = '/control-panel/'
const built = fileURLToPath(new URL('../../web/dist', import.meta.url))

/** Pages may run and show content of this service and call it, and nothing else. */
export const pagesPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** HLTH-06. Without built pages everything else is served, and their address says how to build them. Resolves to whether they are built. */
export async function servePages(app: FastifyInstance, log: Log, root = built): Promise<boolean> {
  if (!existsSync(join(root, 'index.html'))) {
    // A command that puts the service together without listening has no use for the page.
    app.addHook('onListen', done => {
      log.warn(`the control panel at ${prefix} is not built: run npm run build and start again`)
      done()
    })
    app.get(prefix, { schema: { hide: true } }, () => {
      throw unavailable(messages.control_panel_not_built())
    })
    return false
  }
  await app.register(statics, {
    root,
    prefix,
    // With a wildcard, the page itself would not be found: trailing slashes are ignored here.
    wildcard: false,
    redirect: false,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('content-security-policy', pagesPolicy)
      // The name of an asset changes with what is in it.
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  return true
}
