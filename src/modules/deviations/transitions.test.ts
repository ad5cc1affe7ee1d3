// The transitions of deviations and their guards, one by one, through the API.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Permission } from '#kernel/catalogue.ts'
import { transitionsFrom } from '#kernel/machine.ts'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { ok } from '#test/builders/documents.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { type DeviationTransition, deviationMachine, type Guard, guardsOfAuthority, isOver, states } from './rules.ts'

let world: World
let cases: ReturnType<typeof deviations>
let form_template_id: number
before(async () => {
  world = await openWorld()
  cases = deviations(world)
  const fields = [
    { key: 'where', label: 'Where', type: 'text', required: true },
    { key: 'photo', label: 'Photo', type: 'file', required: true },
  ]
  const form = { name: 'Leaks', sections: [{ key: 'leak', title: 'Leak', fields }] }
  form_template_id = ok(await world.as('quinn').post('/api/deviations/form-templates/', form)).id
})
after(() => world.close())

const { transitions, guards } = deviationMachine
type Reply = Awaited<ReturnType<typeof cases.put>>

/** The record, its history and its audit trail, without refused attempts. */
const standing = async (id: number) => [
  await cases.get('quinn', id),
  await cases.get('quinn', id, '/history'),
  await world.rows(`select * from audit_entries where resource_type = 'deviation' and resource_id = $1 order by id`, [
    id,
  ]),
]

async function deny(name: string, denied: Permission[]) {
  await world.superuser.query('begin; set local session_replication_role = replica')
  await world.superuser.query('update users set denied = $1 where id = $2', [denied, world.people[name]!.id])
  await world.superuser.query('commit')
  world.services.accounts.changed()
}

describe('a move that is not in the table of deviations', () => {
  const isMove = (from: string, to: string) =>
    transitions.some(each => (each.from as readonly string[]).includes(from) && each.to === to)
  for (const from of states) {
    for (const to of states) {
      if (isMove(from, to)) continue
      it(`is a 409 with the ways out: ${from} to ${to}`, async () => {
        const { id, number } = await cases.inState(from)
        const before = await standing(id)
        const reply = await cases.put('quinn', id, { status: to, change_reason: 'Because', department: 'Elsewhere' })
        const allowed = transitionsFrom(deviationMachine, from).map(each => each.to)
        assert.deepEqual(
          [reply.statusCode, reply.json().code, reply.json().params],
          [409, 'transition_not_allowed', { number, from, to, allowed }],
        )
        assert.deepEqual(await standing(id), before)
      })
    }
  }
})

const attachment = { bytes: pdf('leak'), name: 'leak.pdf' }
/** A critical deviation with a form that meets all conditions except those that the next request supplies. */
async function critical(from: DeviationTransition['from'][number], { reporter = 'uma' } = {}) {
  const { id } = await cases.report({
    by: reporter,
    severity: 'critical',
    form_template_id,
    form_data: { where: 'V-12' },
  })
  const photo = ok(await world.as('petra').upload(`/api/deviations/${id}/attachments`, {}, attachment)).id
  const whole = { where: 'V-12', photo }
  const ways: Record<string, [string, object][]> = {
    open: [],
    under_investigation: [taken],
    pending_approval: [taken, ['petra', { ...investigated, form_data: whole }]],
    closed: [taken, ['petra', { ...investigated, form_data: whole }], closing],
  }
  for (const [by, body] of ways[from]!) ok(await cases.put(by, id, body))
  return { id, form_data: whole }
}
const taken = [
  'petra',
  {
    status: 'under_investigation',
    get assigned_to() {
      return world.people.petra!.id
    },
  },
] as [string, object]
const investigated = {
  status: 'pending_approval',
  root_cause: rootCause,
  impact_assessment: 'One batch, which is quarantined',
  no_capa_reason: 'The valve is scrapped',
  change_reason: 'Investigated',
}
const closing: [string, object] = ['quentin', { status: 'closed', change_reason: 'Complete' }]
const back = { status: 'under_investigation', change_reason: 'The second batch is missing' }

/** A complete request for each transition. */
const whole: Record<string, [by: string, body: object]> = {
  investigate: taken,
  submit: ['petra', investigated],
  send_back: ['quentin', back],
  close: closing,
  cancel: ['petra', { status: 'cancelled', change_reason: 'No deviation' }],
  reopen: ['quinn', back],
}

describe('each move of the table of deviations', () => {
  for (const move of transitions) {
    const [by, body] = whole[move.name]!
    for (const from of move.from) {
      it(`${move.name} leads from ${from} to ${move.to}, and is told in history and audit trail`, async () => {
        const { id, form_data } = await critical(from)
        const moved = ok(await cases.put(by, id, move.name === 'submit' ? { ...body, form_data } : body))
        assert.equal(moved.status, move.to)
        assert.equal(moved.closed_at !== null, move.to === 'closed')
        const last = (await cases.get('quinn', id, '/history')).at(-1)
        assert.deepEqual(
          [last.transition, last.from, last.to, last.user.username, last.signature_id !== null],
          [move.name, from, move.to, by, move.signature !== undefined],
        )
        const [entry] = await world.rows<{ changes: Record<string, object> }>(
          `select changes from audit_entries where resource_id = $1 and action = 'deviation.state_changed' order by id desc limit 1`,
          [id],
        )
        assert.deepEqual(entry!.changes.status, { from, to: move.to })
      })
    }

    it(`${move.name} is for who has ${move.permission}, and an attempt is remembered`, async () => {
      const { id, form_data } = await critical(move.from[0]!)
      const before = await standing(id)
      await deny('quinn', [move.permission])
      try {
        const reply = await cases.put('quinn', id, move.name === 'submit' ? { ...body, form_data } : body)
        assert.equal(reply.statusCode, 403, reply.body)
        const { code, params } = reply.json()
        const isOfFields = move.name === 'submit'
        assert.deepEqual(
          [code, isOfFields ? params.permissions : params.permission],
          isOfFields
            ? ['deviation_field_permission_required', [move.permission]]
            : ['record_transition_permission_required', move.permission],
        )
        const [entry] = await world.rows<{ action: string; reason: string }>(
          'select action, reason from audit_entries order by id desc limit 1',
        )
        assert.equal(entry!.action, 'access.denied')
        assert.match(entry!.reason, /^DEV-/)
      } finally {
        await deny('quinn', [])
      }
      assert.deepEqual(await standing(id), before)
    })

    if (move.needs_reason || !move.from.includes('open'))
      it(`${move.name} says why`, async () => {
        const { id, form_data } = await critical(move.from[0]!)
        const { change_reason: _, ...unsaid } = body as Record<string, unknown>
        const reply = await cases.put(by, id, move.name === 'submit' ? { ...unsaid, form_data } : unsaid)
        assert.equal(reply.statusCode, 422, reply.body)
        assert.deepEqual(reply.json().detail[0].loc, ['body', 'change_reason'])
      })
  }
})

interface Lack {
  by?: string
  body?: object
  /** The reporter of the deviation. */
  reporter?: string
  around?: <T>(attempt: () => Promise<T>) => Promise<T>
}
/** For each guard the requests that lack this one condition. */
const lacking: Record<Guard, Lack[]> = {
  assigned: [{ body: { assigned_to: undefined } }],
  root_cause: [{ body: { root_cause: null } }],
  impact_assessed: [{ body: { impact_assessment: null } }],
  form_complete: [{ body: { form_data: { where: 'V-12' } } }, { body: { form_data: {} } }],
  capa_decided: [{ body: { no_capa_reason: null } }],
  independent: [{ by: 'petra' }, { reporter: 'quentin' }],
  not_reporter: [{ reporter: 'petra' }],
  quality_unit: [
    {
      by: 'ada',
      async around(attempt) {
        ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
        try {
          return await attempt()
        } finally {
          ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
        }
      },
    },
  ],
}

function assertRefused(reply: Reply, guard: Guard) {
  if (guard === 'form_complete') {
    assert.equal(reply.statusCode, 422, reply.body)
    assert.deepEqual(reply.json().detail.at(-1).loc, ['body', 'form_data', 'photo'])
    return
  }
  const { code, params } = reply.json()
  const denial = denials[guard]
  assert.deepEqual([reply.statusCode, code], denial ? [403, denial] : [409, 'conditions_not_met'], reply.body)
  if (!denial) assert.deepEqual([params.missing, params.conditions], [[guard], [guards[guard]!.text]])
}
const denials: Partial<Record<Guard, string>> = {
  independent: 'deviation_closer_is_involved',
  quality_unit: 'admin_may_not_approve',
  not_reporter: 'deviation_reporter_cannot_cancel',
}

describe('each condition of the table of deviations', () => {
  it('belongs to a move, and is tried below', () => {
    assert.deepEqual(Object.keys(lacking).sort(), Object.keys(guards).sort())
    assert.deepEqual([...new Set(transitions.flatMap(move => move.guards))].sort(), Object.keys(guards).sort())
    assert.deepEqual(Object.keys(denials), guardsOfAuthority)
  })

  for (const move of transitions) {
    for (const guard of move.guards) {
      it(`${move.name} needs ${guard}, and nothing else of what is there`, async () => {
        const [by, body] = whole[move.name]!
        for (const lack of lacking[guard]) {
          const { id, form_data } = await critical(move.from[0]!, lack.reporter ? { reporter: lack.reporter } : {})
          const full = { ...body, ...(move.name === 'submit' && { form_data }) }
          const before = await standing(id)
          const attempt = () => cases.put(lack.by ?? by, id, { ...full, ...lack.body })
          // A closer who clears the root cause takes part in the investigation, which is refused first.
          const refusedBy = move.name === 'close' && guard === 'root_cause' ? 'independent' : guard
          assertRefused(await (lack.around ? lack.around(attempt) : attempt()), refusedBy)
          assert.deepEqual(await standing(id), before)
          const moved = await cases.put(lack.reporter ? 'quinn' : by, id, full)
          assert.equal(moved.statusCode, 200, moved.body)
        }
      })
    }
  }

  it('asks less of a minor deviation: neither cause, impact nor signature', async () => {
    const { id } = await cases.inState('under_investigation')
    ok(await cases.put('petra', id, { status: 'pending_approval', change_reason: 'Nothing more to find' }))
    const { closed_by } = ok(await cases.put('quentin', id, { status: 'closed', change_reason: 'Agreed' }))
    assert.equal(closed_by.username, 'quentin')
    assert.deepEqual(
      (await cases.get('quinn', id, '/history')).map(
        ({ signature_id }: { signature_id: number | null }) => signature_id,
      ),
      [null, null, null, null],
    )
  })

  it('leaves nobody in doubt about a state that is over', () => {
    assert.deepEqual(states.filter(isOver), ['closed', 'cancelled'])
  })
})

// proves: SIG-01
it('a major deviation is not made a minor one by who closes it, without a signature', async () => {
  const { id, number } = await cases.inState('pending_approval', { severity: 'major' })
  const before = await standing(id)
  for (const status of ['closed', undefined]) {
    const reply = await cases.put('quinn', id, {
      severity: 'minor',
      change_reason: 'Not so bad',
      ...(status && { status }),
    })
    assert.deepEqual(
      [reply.statusCode, reply.json().code, reply.json().params],
      [409, 'deviation_severity_fixed', { number, severity: 'major' }],
    )
  }
  assert.deepEqual(await standing(id), before)
  const back = { status: 'under_investigation', severity: 'minor', change_reason: 'Not so bad' }
  assert.equal(ok(await cases.put('quinn', id, back)).severity, 'minor')
})
