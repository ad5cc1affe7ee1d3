import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { areaOf } from './openapi.ts'
import { docsPolicy } from './security-headers.ts'

interface Description {
  info: { description?: string }
  paths?: Record<string, Record<string, { tags?: string[] }>>
  components?: Record<string, Record<string, object>>
}

/** People begin there: what they try needs a token. */
const first_area = 'auth'
const folder = '/docs'
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Attest</title><rect width="32" height="32" rx="8" fill="#1d4f46"/><path d="M9 17l5 5 9-12" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`
const image = { type: 'image/svg+xml', content: icon }

/**
 * SVC-02: pages at /docs that load nothing from outside. They show an area of the API at a time, because Swagger UI reads its whole
 * description again whenever an operation is opened, which takes a browser seconds for all of it.
 */
export async function showDescription(app: FastifyInstance, routes: readonly { url: string }[]) {
  const areas = [...new Set(routes.map(({ url }) => areaOf(url)))].sort()
  const description = () => app.swagger() as Description
  app.get<{ Params: { area: string } }>(
    `${folder}/areas/:area`,
    { schema: { hide: true } },
    async ({ params: { area } }, reply) => {
      if (areas.includes(area)) return areaIn(description(), area)
      reply.callNotFound()
      return reply
    },
  )
  await app.register(swaggerUi, {
    routePrefix: folder,
    staticCSP: docsPolicy,
    logo: image,
    theme: { title: 'Attest API', favicon: [{ ...image, filename: 'icon.svg', rel: 'icon', sizes: 'any' }] },
    uiConfig: {
      docExpansion: 'list',
      persistAuthorization: true,
      urls: areas.map(name => ({ name, url: `${folder}/areas/${name}` })),
      'urls.primaryName': areas.includes(first_area) ? first_area : areas[0],
    } as object,
  })
}

/** The part of the description that is about `area`, with what it refers to. */
function areaIn(description: Description, area: string): Description {
  const paths = Object.fromEntries(
    Object.entries(description.paths ?? {}).filter(([, operations]) =>
      Object.values(operations).some(({ tags }) => tags?.includes(area)),
    ),
  )
  const components: NonNullable<Description['components']> = {}
  const take = (part: object) => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const referred = description.components?.[kind!]?.[name!]
      if (!referred || components[kind!]?.[name!]) continue
      components[kind!] = { ...components[kind!], [name!]: referred }
      take(referred)
    }
  }
  take(paths)
  const { securitySchemes } = description.components ?? {}
  const info = {
    ...description.info,
    description: `${description.info.description}\n\nHere is one area of the API, ${area}; choose another above. [All of it in one file](${folder}/json).`,
  }
  return { ...description, info, paths, components: { ...components, ...(securitySchemes && { securitySchemes }) } }
}
