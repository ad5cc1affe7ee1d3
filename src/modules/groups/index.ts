import { type Route, route } from '#http'
import { create, details, list, members, remove, update, use } from './actions.ts'
import { addMember, removeMember } from './membership.ts'

export { addImportedGroup, addImportedMember } from './imported.ts'
export { setMemberships } from './membership.ts'
export { GroupType } from './schema.ts'

export const routes: Route[] = [
  route('GET', '/api/groups/', list),
  route('POST', '/api/groups/', create, { status: 201 }),
  route('GET', '/api/groups/:id', details),
  route('PUT', '/api/groups/:id', update),
  route('DELETE', '/api/groups/:id', remove, { status: 204 }),
  route('GET', '/api/groups/:id/members', members),
  route('GET', '/api/groups/:id/use', use),
  route('POST', '/api/groups/:id/add-member', addMember),
  route('DELETE', '/api/groups/:id/remove-member/:user_id', removeMember, { status: 204 }),
]
