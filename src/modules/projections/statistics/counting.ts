import { confirmedByCommit, type Tx } from '#platform/db/database.ts'
import { capaFacts, effectivenessReviewFacts } from './capa-facts.ts'
import { deviationFacts } from './deviation-facts.ts'
import { documentFacts } from './document-facts.ts'
import type { Fact, Resource } from './fact.ts'
import { type Change, storeChanges } from './queries.ts'
import {
  assignments,
  type Choice,
  capas,
  deviations,
  documents,
  effectivenessReviews,
  type Records,
} from './record-queries.ts'
import { assignmentFacts } from './training-facts.ts'

/** A type of records that is counted. */
interface Kind {
  resource: Resource
  list: Records<unknown>['list']
  /** Reads records and derives their facts. */
  derive(tx: Tx, choice: Choice): Promise<Change[]>
}

const kindOf = <Row>(resource: Resource, { list, read }: Records<Row>, factsOf: (row: Row) => Fact[]): Kind => ({
  resource,
  list,
  async derive(tx, choice) {
    const rows = await read(tx, choice)
    return rows.map(row => {
      const { zone_id, record_id, stored } = row
      return { zone_id, record_id, stored, facts: factsOf(row) }
    })
  },
})

export const kinds: readonly Kind[] = [
  kindOf('document', documents, documentFacts),
  kindOf('deviation', deviations, deviationFacts),
  kindOf('capa', capas, capaFacts),
  kindOf('effectiveness_review', effectivenessReviews, effectivenessReviewFacts),
  kindOf('training_assignment', assignments, assignmentFacts),
]

const isChanged = ({ stored, facts }: Change) => JSON.stringify(stored) !== JSON.stringify(facts)

/** Limits the memory that many changed records take. */
const most_at_once = 2000

/**
 * Counts these records as they are now. A transaction that changed nothing of a record derives the facts that are stored, also while
 * another one changes it, and writes nothing: it never waits.
 */
export async function countRecords(tx: Tx, { resource, derive }: Kind, ids: readonly number[]): Promise<void> {
  for (let first = 0; first < ids.length; first += most_at_once) {
    const changes = (await derive(tx, { ids: ids.slice(first, first + most_at_once) })).filter(isChanged)
    if (changes.length > 0) confirmedByCommit(tx, storeChanges(tx, resource, changes))
  }
}
