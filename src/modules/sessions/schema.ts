import { type Static, Type } from 'typebox'
import { Id, Nullable, OneOf, Timestamp } from '#kernel/schema.ts'
import { sessionKinds } from './rules.ts'

const lasting = {
  idle_ends_at: Nullable({
    ...Timestamp,
    description: 'Without a further request the session ends then; null for a token, which is never idle',
  }),
  ends_at: { ...Timestamp, description: 'The session ends then in any case' },
}

export const Session = Type.Object({
  id: Id,
  kind: OneOf(...sessionKinds),
  is_current: Type.Boolean({ description: 'The session of this request' }),
  second_factor: Type.Boolean(),
  client_addr: Type.String(),
  user_agent: Type.String(),
  created_at: Timestamp,
  last_seen_at: { ...Timestamp, description: 'Written at most once a minute' },
  ...lasting,
})
export type Session = Static<typeof Session>

export const CurrentSession = Type.Object({
  id: Nullable({ ...Id, description: 'null for a token that was issued by an earlier release' }),
  kind: OneOf(...sessionKinds),
  user: Type.Object({
    id: Id,
    username: Type.String(),
    full_name: Nullable(Type.String()),
    role: Type.String(),
  }),
  ...lasting,
})

export const EndedSessions = Type.Object({ ended: Type.Integer({ description: 'The number of ended sessions' }) })
