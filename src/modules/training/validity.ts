import { type RawBuilder, sql } from 'kysely'

/**
 * A condition: by an assignment `a` of a program `p` the person counts as trained on a day. It is completed, verified if the program
 * requires it, and not expired. A reading counts for its version and for later ones, until one has the `training_impact` reassign_all.
 */
export const validlyCompleted = (today: string): RawBuilder<boolean> => sql`(a.status = 'completed'
  and (a.verified_at is not null or not p.requires_verification)
  and (a.valid_until is null or a.valid_until >= ${today})
  and (p.type <> 'read_and_understand' or not exists (
    select from document_versions was join document_versions later on later.document_id = was.document_id
    where was.id = a.version_id and later.effective_at is not null and later.training_impact = 'reassign_all'
      and (later.major, later.minor) > (was.major, was.minor))))`
