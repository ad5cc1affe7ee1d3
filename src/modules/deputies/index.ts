import { type Route, route } from '#http'
import { create, details, end, list } from './actions.ts'

export { listCurrentDeputies, listRepresented, type RepresentedPerson, representedBy } from './standing-in.ts'

export const routes: Route[] = [
  route('GET', '/api/deputies/', list),
  route('POST', '/api/deputies/', create, { status: 201 }),
  route('GET', '/api/deputies/:id', details),
  route('POST', '/api/deputies/:id/end', end),
]
