import type { World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'

/** A review of what has become of the samples so far, which several people did. */
export async function addAuditReview(world: World, { word, by }: { word: string; by: string }) {
  const { id, reviewer }: Json = ok(
    await world.as(by).post('/api/audit/reviews/', {
      date_from: '2020-01-01',
      date_to: new Date(Date.now() - 1).toISOString(),
      filter: { q: word },
      outcome: 'findings',
      findings: word,
      intent: word,
    }),
  )
  return { audit_review: id as number, audit_reviewer: reviewer.id as number }
}

/** A review of the accounts, which changes none of them. */
export async function addAccessReview(world: World, { word, by }: { word: string; by: string }) {
  const { accounts_sha256 } = ok(await world.as(by).get('/api/users/access-review'))
  const { id }: Json = ok(
    await world
      .as(by)
      .post('/api/users/access-reviews/', { accounts_sha256, outcome: 'findings', findings: word, intent: word }),
  )
  return { access_review: id as number }
}
