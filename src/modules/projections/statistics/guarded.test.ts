// The audit guard, by which an event names every record that changed: so none is counted as it was before.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openWorld, type World } from '#test/world/world.ts'

/** The tables that facts are derived from, with the record that the guard asks an event of, and the columns that may change without one. */
const guarded: Record<string, { asks: string; except: string }> = {
  capas: { asks: "'capa', 'id'", except: '' },
  deviations: { asks: "'deviation', 'id'", except: '' },
  document_history: { asks: "'document', 'document_id'", except: '' },
  document_reviews: { asks: "'document', 'document_id'", except: '' },
  document_versions: { asks: "'document', 'document_id'", except: '' },
  documents: { asks: "'document', 'id'", except: '' },
  effectiveness_reviews: { asks: "'effectiveness_review', 'id'", except: '' },
  record_history: { asks: '', except: '' },
  training_assignments: { asks: "'training_assignment', 'id'", except: 'notice_on' },
  training_attempts: { asks: "'training_assignment', 'assignment_id'", except: '' },
}

describe('the records that statistics count', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  it('are named by an event of each transaction that changes what they count as (proves: DASH-05)', async () => {
    const found = await world.rows<{ name: string; asks: string; except: string }>(
      `select relname as name, substring(definition from 'EXECUTE FUNCTION require_\\w+_entry\\((.*)\\)') as asks,
         coalesce(substring(definition from '\\{(.*?)\\}'), '') as except
       from pg_trigger join pg_class on pg_class.oid = tgrelid, pg_get_triggerdef(pg_trigger.oid) definition
       where tgname = 'audited_update' and relname = any($1) order by 1`,
      [Object.keys(guarded)],
    )
    assert.deepEqual(Object.fromEntries(found.map(({ name, ...rest }) => [name, rest])), guarded)
  })
})
