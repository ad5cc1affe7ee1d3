import type { FastifyInstance, HTTPMethods } from 'fastify'
import { methodNotAllowed } from '#kernel/errors.ts'

interface Path {
  segments: readonly string[]
  allowed: readonly HTTPMethods[]
}

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

const isParameter = (segment: string) => segment.startsWith(':')
const segmentsOf = (path: string) => path.replace(/(?<=.)\/$/, '').split('/')

/** Whether a request that `segments` asks for, or every such request if they are those of a route, is one to `path`. */
const includes = (path: Path, segments: readonly string[]) =>
  path.segments.length === segments.length &&
  path.segments.every((each, index) => isParameter(each) || each === segments[index])

/** Text that sorts as the router looks: at the first place where two paths differ, a name goes before a parameter. */
const orderOf = ({ segments }: Path) => segments.map(each => (isParameter(each) ? '1' : '0')).join('')

function decoded(segment: string) {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * Answers a wrong method by 405, also without a token and before the body is read: which methods a path has stands in the public API
 * description. Where no route answers, the path is looked up, because a route for each method that a path lacks would be four times as
 * many routes as there are.
 */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly { method: HTTPMethods; url: string }[]) {
  const grouped = Map.groupBy(routes, ({ url }) => segmentsOf(url).join('/'))
  const paths: Path[] = [...grouped].map(([url, mounted]) => ({
    segments: segmentsOf(url),
    allowed: methods.filter(each => mounted.some(({ method }) => method === (each === 'HEAD' ? 'GET' : each))),
  }))
  paths.sort((one, other) => orderOf(one).localeCompare(orderOf(other)))
  const byLength = Map.groupBy(paths, ({ segments }) => segments.length)
  for (const path of paths) {
    const alike = byLength.get(path.segments.length)!.filter(other => includes(other, path.segments))
    // One that a path with a parameter would take for its own, as DELETE /roles/all for DELETE /roles/:id.
    const taken = methods.filter(
      each => !path.allowed.includes(each) && alike.some(({ allowed }) => allowed.includes(each)),
    )
    if (taken.length === 0) continue
    app.route({
      method: taken,
      url: path.segments.join('/'),
      schema: { hide: true },
      exposeHeadRoute: false,
      onRequest: (request, _reply, done) => done(methodNotAllowed(request.method, path.allowed)),
      handler: () => {},
    })
  }
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404 || !methods.some(each => each === request.method)) return done()
    const asked = segmentsOf(request.url.split('?', 1)[0]!).map(decoded)
    const path = byLength.get(asked.length)?.find(each => includes(each, asked))
    done(path && methodNotAllowed(request.method, path.allowed))
  })
}
