import type { IncomingHttpHeaders } from 'node:http'

type Headers = Pick<IncomingHttpHeaders, 'sec-fetch-site' | 'origin'>

/** The origin of the pages; undefined where PUBLIC_URL is not set. */
export const originOfPages = (public_url: string | undefined) =>
  public_url === undefined ? undefined : new URL(public_url).origin

/** Whether a page of ours sent the request. Old browsers say it by `Origin` alone. */
export function isSameOrigin(headers: Headers, pages: string | undefined): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && headers.origin === pages
}

/** Whether a page of another site sent it. A program sends neither header. */
export const isCrossSite = (headers: Headers, pages: string | undefined): boolean =>
  (headers['sec-fetch-site'] !== undefined || headers.origin !== undefined) && !isSameOrigin(headers, pages)
