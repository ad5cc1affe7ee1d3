import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Permission, tenantPermissions } from '#kernel/catalogue.ts'
import type { Row } from './queries.ts'
import { present } from './rules.ts'
import type { Kind } from './schema.ts'

const today = '2026-03-02'
const petra = { id: 7, username: 'petra', full_name: 'Petra Lang' }
const permissions = new Set(tenantPermissions)
const people = new Map([[petra.id, petra]])
const row = (change: Partial<Row> = {}): Row => ({
  ...{ kind: 'deviation', record_id: 5, part_id: 9, number: 'DEV-0001', title: 'Seal leaked', status: 'open' },
  ...{ urgency: 'major', due_date: today, person_id: petra.id, is_yours: true },
  ...change,
})
const shown = (change: Partial<Row>, ways?: readonly string[]) =>
  present(row(change), { today, people, permissions, ways })
/** The request of a task, its description and the link to the record. */
const next = (change: Partial<Row>, ways?: readonly string[]) => {
  const { task, to_do, link } = shown(change, ways)
  return [task && `${task.method} ${task.path}`, to_do, link]
}

describe('an item of the dashboard', () => {
  it('is shown whole', () => {
    assert.deepEqual(shown({}), {
      ...{ kind: 'deviation', id: 9, number: 'DEV-0001', title: 'Seal leaked', status: 'open', urgency: 'major' },
      ...{ due_date: today, is_overdue: false, person: petra, is_yours: true, for: null, reason: 'assigned_to_you' },
      ...{
        to_do: 'Begin the investigation (status under_investigation)',
        code: 'to_do_begin_investigation',
        params: {},
      },
      link: '/api/deviations/5',
      task: { method: 'PUT', path: '/api/deviations/5' },
    })
  })

  it('is overdue from the day behind its due date on, and never without one', () => {
    assert.deepEqual(
      ['2026-03-01', today, '2026-03-03', null].map(due_date => shown({ due_date }).is_overdue),
      [true, false, false, false],
    )
  })

  it('names the person whom it is with, where there is one who is known', () => {
    assert.equal(shown({ person_id: null }).person, null)
    assert.equal(shown({ person_id: 8 }).person, null)
  })

  it('says why it is shown: it is yours to do, to decide or to own, or you may read it', () => {
    assert.equal(shown({ kind: 'document_review' }).reason, 'owned_by_you')
    assert.equal(shown({ kind: 'document_approval' }).reason, 'assigned_to_you')
    assert.equal(shown({ kind: 'document_review', is_yours: false }).reason, 'readable')
    assert.equal(shown({ is_yours: false }).reason, 'readable')
    assert.equal(shown({ is_yours: false }, []).reason, 'yours_to_decide')
    assert.equal(shown({ is_yours: false }).task, null, 'what is not yours has no request')
  })

  it('has no request that the permissions of the person refuse, and says what to do instead', () => {
    const kinds = ['training_assignment', 'deviation', 'capa', 'capa_action', 'effectiveness_review', 'document_review']
    for (const kind of kinds as Kind[]) {
      const status = kind === 'effectiveness_review' ? 'pending_effectiveness' : 'open'
      const shown = (held: ReadonlySet<Permission>) =>
        present(row({ kind, status }), { today, people, permissions: held })
      assert.ok(shown(permissions).task, kind)
      const { task, to_do } = shown(new Set())
      assert.deepEqual([task, /permission/.test(to_do)], [null, true], kind)
    }
  })

  it('that nobody is assigned is to be assigned', () => {
    const { reason, to_do, task } = present(row(), { today, people, permissions, isToAssign: true })
    assert.deepEqual(
      [reason, to_do, task],
      ['yours_to_assign', 'Assign it to someone', { method: 'PUT', path: '/api/deviations/5' }],
    )
  })

  it('has the id of what is to be done: of a document the document, of a part of a record that part', () => {
    const ids = (['document_approval', 'document_review', 'capa_action', 'capa'] as const).map(
      kind => shown({ kind }).id,
    )
    assert.deepEqual(ids, [5, 5, 9, 9])
  })
})

describe('what is to be done next', () => {
  const cases: [kind: Kind, status: string, task: string | null, to_do: string, link: string][] = [
    [
      ...(['training_assignment', 'assigned', 'POST /api/training/5/complete'] as const),
      ...(['Complete the training, and sign it', '/api/training/assignments/9'] as const),
    ],
    [
      ...(['deviation', 'open', 'PUT /api/deviations/5'] as const),
      ...(['Begin the investigation (status under_investigation)', '/api/deviations/5'] as const),
    ],
    [
      ...(['deviation', 'under_investigation', 'PUT /api/deviations/5'] as const),
      'Investigate it, and submit it to the quality unit (status pending_approval)',
      '/api/deviations/5',
    ],
    ['deviation', 'pending_approval', null, 'Wait for the quality unit to close it', '/api/deviations/5'],
    ['capa', 'draft', null, 'Wait for its approval', '/api/capa/5'],
    [
      ...(['capa', 'open', 'PUT /api/capa/5'] as const),
      ...(['Enter the root cause, plan the actions, and start (status in_progress)', '/api/capa/5'] as const),
    ],
    [
      ...(['capa', 'in_progress', 'PUT /api/capa/5'] as const),
      ...(['Have its actions completed, assess adverse effects, and have it verified', '/api/capa/5'] as const),
    ],
    [
      ...(['capa', 'pending_effectiveness', null] as const),
      ...(['Wait for its effectiveness review and closure', '/api/capa/5'] as const),
    ],
    [
      ...(['capa_action', 'open', 'PUT /api/capa/5'] as const),
      ...(['Carry out the action, and set it to done with its evidence', '/api/capa/5'] as const),
    ],
    [
      ...(['effectiveness_review', 'pending_effectiveness', 'PUT /api/capa/5/effectiveness/9'] as const),
      ...(['Carry out the effectiveness review', '/api/capa/5/effectiveness/9'] as const),
    ],
    [
      ...(['effectiveness_review', 'in_progress', null] as const),
      'Wait until its actions are verified, then carry out the effectiveness review',
      '/api/capa/5/effectiveness/9',
    ],
    [
      ...(['document_approval', 'in_review', 'POST /api/documents/5/approve'] as const),
      ...(['Approve or reject it', '/api/documents/5/workflow'] as const),
    ],
    [
      ...(['document_review', 'effective', 'POST /api/documents/5/periodic-review'] as const),
      ...([
        'Decide that it must be revised, or have another person confirm that it stays as it is',
        '/api/documents/5',
      ] as const),
    ],
  ]
  for (const [kind, status, task, to_do, link] of cases)
    it(`of a ${kind} that is ${status}: ${to_do}`, () => assert.deepEqual(next({ kind, status }), [task, to_do, link]))

  it('of what awaits your decision is to decide it', () => {
    const [deviation, capa] = ['/api/deviations/5', '/api/capa/5']
    const status = 'pending_approval'
    assert.deepEqual(next({ status }, ['close', 'send_back']), [
      ...[`PUT ${deviation}`, 'Close it, or send it back (status closed or under_investigation)', deviation],
    ])
    assert.deepEqual(next({ status }, ['send_back']), [
      ...[`PUT ${deviation}`, 'Send it back if it is not complete (status under_investigation)', deviation],
    ])
    assert.deepEqual(next({ kind: 'capa', status: 'draft' }, []), [
      ...[`POST ${capa}/approve-draft`, 'Approve the draft, or reject it', capa],
    ])
    const approval = { kind: 'document_approval', status: 'in_review' } as const
    assert.deepEqual(next(approval, []), next(approval))
  })
})
