// Deviations are reported, read, changed and found.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let cases: ReturnType<typeof deviations>
before(async () => {
  world = await openWorld()
  cases = deviations(world)
})
after(() => world.close())

const idOf = (name: string) => world.people[name]!.id
const hoursAgo = (hours: number) => new Date(world.clock.now().getTime() - hours * 3_600_000).toISOString()
const issuesOf = (reply: {
  statusCode: number
  body: string
  json(): { detail: { loc: unknown[]; type: string }[] }
}) => {
  assert.equal(reply.statusCode, 422, reply.body)
  return reply.json().detail.map(({ loc, type }) => ({ loc, type }))
}
const least = {
  title: 'Label roll mixed up',
  description: 'A roll of another product was on the line.',
  severity: 'major',
}

// proves: DEV-01
describe('a report of a deviation', () => {
  it('gets a number of its year, is open, and is due by its severity', async () => {
    const year = world.clock.now().toISOString().slice(0, 4)
    const first = await cases.report({ severity: 'critical' })
    const second = await cases.report({ severity: 'minor', by: 'alan' })
    assert.match(first.number, new RegExp(`^DEV-${year}-\\d{4}$`))
    assert.equal(Number(second.number.slice(-4)), Number(first.number.slice(-4)) + 1)
    assert.equal(first.status, 'open')
    assert.equal(first.reported_by.username, 'uma')
    const days = (each: { due_date: string; reported_at: string }) =>
      (Date.parse(each.due_date) - Date.parse(each.reported_at.slice(0, 10))) / 86_400_000
    assert.deepEqual([days(first), days(second), days(await cases.report({ severity: 'major' }))], [3, 30, 15])
  })

  it('keeps every field as it was sent', async () => {
    const sent = {
      ...least,
      category: 'packaging',
      department: 'Packaging, line 3',
      occurred_at: hoursAgo(3),
      detected_at: hoursAgo(2),
      affected_items: [
        { kind: 'batch', identifier: 'LP-101-0042' },
        { kind: 'equipment', identifier: 'Labeller L-3' },
      ],
      immediate_action: 'Line stopped, roll taken away',
      impact_assessment: 'Twelve packs, all found',
    }
    const made = await cases.report(sent)
    const { title, description, severity, category, department, occurred_at, detected_at } = await cases.get(
      'uma',
      made.id,
    )
    assert.deepEqual(
      { title, description, severity, category, department },
      { ...least, category: sent.category, department: sent.department },
    )
    // The same moments; trailing zeros of a second's fraction may be omitted.
    assert.deepEqual(
      [occurred_at, detected_at].map(moment => new Date(moment).toISOString()),
      [sent.occurred_at, sent.detected_at],
    )
    const { affected_items, immediate_action, impact_assessment } = made
    assert.deepEqual(
      { affected_items, immediate_action, impact_assessment },
      {
        affected_items: sent.affected_items,
        immediate_action: sent.immediate_action,
        impact_assessment: sent.impact_assessment,
      },
    )
  })

  it('was detected now, where it does not say when', async () => {
    const { detected_at, reported_at } = await cases.report()
    assert.equal(detected_at, reported_at)
  })

  it('says why it comes late, more than 24 hours after the detection', async () => {
    const reply = await world.as('uma').post('/api/deviations/', { ...least, detected_at: hoursAgo(24.1) })
    const needed = [{ loc: ['body', 'late_report_reason'], type: 'deviation_late_reason_required' }]
    assert.deepEqual(issuesOf(reply), needed)
    const told = await cases.report({ detected_at: hoursAgo(24.1), late_report_reason: 'Found at the weekend' })
    assert.equal(told.late_report_reason, 'Found at the weekend')
    ok(await world.as('uma').post('/api/deviations/', { ...least, detected_at: hoursAgo(23.9) }))
    const cleared = await cases.put('uma', told.id, { late_report_reason: null })
    assert.deepEqual(issuesOf(cleared), needed)
  })

  it('is of something that happened before it was detected, and was detected before it is reported', async () => {
    const ahead = await world.as('uma').post('/api/deviations/', { ...least, detected_at: hoursAgo(-1) })
    assert.deepEqual(issuesOf(ahead), [{ loc: ['body', 'detected_at'], type: 'deviation_detected_after_report' }])
    const turned = await world
      .as('uma')
      .post('/api/deviations/', { ...least, occurred_at: hoursAgo(1), detected_at: hoursAgo(2) })
    assert.deepEqual(issuesOf(turned), [{ loc: ['body', 'occurred_at'], type: 'deviation_occurred_after_detection' }])
  })

  it('is due by the day where the tenant is, and by the days that the tenant has set', async () => {
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'Pacific/Kiritimati', due_days: { minor: 10 } }))
    try {
      world.clock.moved_ms = Date.parse('2055-05-04T20:00:00Z') - Date.now()
      const { due_date, original_due_date, number } = await cases.report()
      assert.deepEqual([due_date, original_due_date], ['2055-05-15', '2055-05-15'])
      world.clock.moved_ms = Date.parse('2055-12-31T20:00:00Z') - Date.now()
      assert.match((await cases.report()).number, /^DEV-2056-0001$/)
      assert.match(number, /^DEV-2055-0001$/)
    } finally {
      world.clock.moved_ms = 0
      ok(await world.as('ada').put('/api/settings/', { time_zone: 'UTC', due_days: { minor: 30 } }))
    }
  })

  it('says its root cause as questions with answers, or as causes on six bones', async () => {
    const wrong = [
      [{ ...rootCause, steps: undefined }, 'deviation_five_whys_required'],
      [{ ...rootCause, steps: { people: [{ cause: 'Nobody was trained' }] } }, 'deviation_five_whys_required'],
      [{ ...rootCause, method: 'fishbone' }, 'deviation_fishbone_cause_required'],
      [{ ...rootCause, method: 'fishbone', steps: { people: [] } }, 'deviation_fishbone_cause_required'],
      [{ ...rootCause, method: 'other' }, 'deviation_root_cause_steps_not_allowed'],
    ] as const
    for (const [root_cause, type] of wrong) {
      const reply = await world.as('petra').post('/api/deviations/', { ...least, root_cause })
      assert.deepEqual(issuesOf(reply), [{ loc: ['body', 'root_cause', 'steps'], type }])
    }
    const fishbone = {
      ...rootCause,
      method: 'fishbone',
      steps: { people: [{ cause: 'Nobody was trained', is_contributing: true }], equipment: [{ cause: 'Worn seal' }] },
    }
    assert.deepEqual((await cases.report({ by: 'petra', root_cause: fishbone })).root_cause, fishbone)
    const other = { method: 'other', category: 'unknown_inconclusive', summary: 'Not found after three weeks' }
    assert.deepEqual((await cases.report({ by: 'petra', root_cause: other })).root_cause, other)
    const eight = { ...rootCause, steps: Array.from({ length: 8 }, () => rootCause.steps[0]) }
    assert.equal((await world.as('petra').post('/api/deviations/', { ...least, root_cause: eight })).statusCode, 422)
  })

  it('is assigned to somebody who is active and may read deviations, by somebody who may assign', async () => {
    const by = (name: string, assigned_to: number) => world.as(name).post('/api/deviations/', { ...least, assigned_to })
    assert.equal((await by('uma', idOf('petra'))).statusCode, 403)
    assert.equal((await by('petra', 999_999_999)).statusCode, 404)
    assert.equal((await by('petra', idOf('rex'))).statusCode, 404)
    ok(await world.as('ada').post(`/api/users/${idOf('anna')}/deactivate`, { change_reason: 'Left' }))
    const inactive = await by('petra', idOf('anna'))
    assert.deepEqual(
      [inactive.statusCode, inactive.json().code, inactive.json().params],
      [409, 'record_assignee_inactive', { username: 'anna' }],
    )
    ok(await world.as('ada').post(`/api/users/${idOf('anna')}/reactivate`, { change_reason: 'Is back' }))
    ok(
      await world.as('ada').put(`/api/users/${idOf('anna')}/permissions`, { granted: [], denied: ['deviations.read'] }),
    )
    const blind = await by('petra', idOf('anna'))
    assert.deepEqual(
      [blind.statusCode, blind.json().code, blind.json().params],
      [409, 'record_assignee_lacks_permission', { username: 'anna', permission: 'deviations.read' }],
    )
    ok(await world.as('ada').put(`/api/users/${idOf('anna')}/permissions`, { granted: [], denied: [] }))
    assert.equal(ok(await by('petra', idOf('anna'))).assigned_to.username, 'anna')
  })
})

// proves: AI-04
describe('the suggestion of a severity', () => {
  const grave = 'A patient was harmed after an injection from the contaminated batch; sterility failure confirmed.'
  const slight = 'A page of a logbook was signed one day late. No impact on product.'

  it('says severity, confidence and why, and writes nothing', async () => {
    const [before] = await world.rows('select count(*) from audit_entries')
    const suggestion = ok(await world.as('uma').post('/api/deviations/suggest-severity', { description: grave }))
    assert.equal(suggestion.severity, 'critical')
    assert.ok(suggestion.confidence > 0 && suggestion.confidence <= 1)
    assert.ok(suggestion.rationale.length > 20)
    const { method, by_rules, ...said } = suggestion
    assert.equal(method, 'rules')
    assert.deepEqual(by_rules, said)
    assert.deepEqual(await world.rows('select count(*) from audit_entries'), [before])
  })

  it('is accepted or overridden by a person, and kept with what became of it', async () => {
    const accepted = await cases.report({ description: grave, severity: 'critical', severity_decision: 'accepted' })
    assert.equal(accepted.severity_suggestion.severity, 'critical')
    assert.equal(accepted.severity_decision, 'accepted')
    const other = { ...least, description: grave, severity: 'minor' }
    const lied = await world.as('uma').post('/api/deviations/', { ...other, severity_decision: 'accepted' })
    assert.deepEqual(issuesOf(lied), [{ loc: ['body', 'severity'], type: 'deviation_severity_not_suggested' }])
    const unsaid = await world.as('uma').post('/api/deviations/', { ...other, severity_decision: 'overridden' })
    assert.deepEqual(issuesOf(unsaid), [
      { loc: ['body', 'severity_reason'], type: 'deviation_override_reason_required' },
    ])
    const same = await world.as('uma').post('/api/deviations/', {
      ...other,
      severity: 'critical',
      severity_decision: 'overridden',
      severity_reason: 'x',
    })
    assert.deepEqual(issuesOf(same), [{ loc: ['body', 'severity_decision'], type: 'deviation_severity_is_suggested' }])
    const overridden = await cases.report({ ...other, severity_decision: 'overridden', severity_reason: 'An exercise' })
    assert.equal(overridden.severity_suggestion.severity, 'critical')
    assert.deepEqual([overridden.severity, overridden.severity_reason], ['minor', 'An exercise'])
  })

  it('stands for the severity that it was made with: another severity is without it', async () => {
    const { id } = await cases.report({ description: slight, severity: 'minor', severity_decision: 'accepted' })
    const again = ok(await cases.put('petra', id, { severity: 'minor', severity_decision: 'accepted' }))
    assert.equal(again.severity_decision, 'accepted')
    const graver = ok(await cases.put('petra', id, { severity: 'major', severity_reason: 'The third time' }))
    assert.deepEqual(
      [graver.severity, graver.severity_suggestion, graver.severity_decision, graver.severity_reason],
      ['major', null, null, 'The third time'],
    )
  })
})

// proves: DEV-01
describe('a change of a deviation', () => {
  it('is of the report by who reported it while it is open, and not by another without the permission', async () => {
    const { id } = await cases.report()
    ok(
      await cases.put('uma', id, {
        title: 'Valve V-12 dripped',
        affected_items: [{ kind: 'equipment', identifier: 'V-12' }],
      }),
    )
    assert.equal((await cases.put('alan', id, { title: 'Mine now' })).statusCode, 403)
    for (const body of [{ title: 'An auditor changes nothing' }, { title: 'Valve V-12 dripped' }, {}])
      assert.equal((await cases.put('otto', id, body)).statusCode, 403)
    ok(await cases.put('petra', id, { department: 'Production' }))
    ok(await cases.put('petra', id, { status: 'under_investigation', assigned_to: idOf('petra') }))
    assert.equal((await cases.put('uma', id, { title: 'Too late', change_reason: 'x' })).statusCode, 403)
    assert.equal((await cases.get('uma', id)).title, 'Valve V-12 dripped')
  })

  it('is by nobody who may not read it, be it their own report', async () => {
    const { id } = await cases.report({ by: 'alan' })
    const deny = async (...denied: string[]) =>
      ok(await world.as('ada').put(`/api/users/${idOf('alan')}/permissions`, { granted: [], denied }))
    await deny('deviations.read')
    for (const body of [{ title: 'Valve V-12 dripped' }, { status: 'cancelled', change_reason: 'A mistake' }]) {
      const reply = await cases.put('alan', id, body)
      assert.deepEqual(
        [reply.statusCode, reply.json().code, reply.json().params],
        [403, 'permission_required', { permission: 'deviations.read' }],
      )
    }
    await deny()
    assert.equal((await cases.get('alan', id)).title, 'Valve V-12 leaked')
  })

  it('of severity, assessment, investigation and assignment is for those who may, and an attempt is remembered', async () => {
    const { id, number } = await cases.report()
    const fields = [
      { severity: 'critical' },
      { impact_assessment: 'None' },
      { no_capa_reason: 'None needed' },
      { investigation: 'Looked at it' },
      { root_cause: rootCause },
      { assigned_to: idOf('uma') },
    ]
    for (const field of fields) {
      const reply = await cases.put('uma', id, field)
      assert.equal(reply.statusCode, 403, JSON.stringify(field))
      const [entry] = await world.rows<{ action: string; outcome: string; reason: string }>(
        'select action, outcome, reason from audit_entries order by id desc limit 1',
      )
      assert.deepEqual(entry, {
        action: 'access.denied',
        outcome: 'denied',
        reason: `${number} (${id}): ${reply.json().detail}`,
      })
      ok(await cases.put('petra', id, field))
    }
  })

  it('sent back as it is asks for no permission, because it changes nothing', async () => {
    const { id, severity, occurred_at, detected_at, affected_items } = await cases.report({ occurred_at: hoursAgo(1) })
    ok(await cases.put('uma', id, { severity, occurred_at, detected_at, affected_items, title: 'Better title' }))
  })

  it('says its reason once the deviation is open no more', async () => {
    const { id } = await cases.inState('under_investigation')
    assert.deepEqual(issuesOf(await cases.put('petra', id, { department: 'QC' })), [
      { loc: ['body', 'change_reason'], type: 'record_reason_required' },
    ])
    ok(await cases.put('petra', id, { department: 'QC', change_reason: 'Moved' }))
    const [entry] = await world.rows<{ reason: string; changes: Record<string, unknown> }>(
      'select reason, changes from audit_entries where resource_id = $1 order by id desc limit 1',
      [id],
    )
    assert.equal(entry!.reason, 'Moved')
    assert.deepEqual(entry!.changes.department, { from: null, to: 'QC' })
  })

  it('is refused on an older revision, with who changed what since', async () => {
    const { id, revision } = await cases.report()
    const stale = { title: 'Mine', revision }
    ok(await cases.put('petra', id, { department: 'QC' }))
    for (const reply of [
      await cases.put('uma', id, stale),
      await world.as('uma').put(`/api/deviations/${id}`, { title: 'Mine' }, { 'if-match': `"${revision}"` }),
    ]) {
      assert.equal(reply.statusCode, 409)
      assert.match(reply.json().detail, /petra at .*: deviation\.updated \(department\)/)
    }
  })

  it('moves no due date, and says what does', async () => {
    const { id, due_date } = await cases.report()
    const reply = await cases.put('petra', id, { due_date: '2099-01-01' })
    assert.equal(reply.statusCode, 422)
    assert.match(reply.json().detail[0].msg, new RegExp(`POST /api/deviations/${id}/extend`))
    ok(await cases.put('petra', id, { due_date, title: 'The same day is no change' }))
    ok(await world.as('petra').post(`/api/deviations/${id}/extend`, { due_date: '2099-01-01', reason: 'Supplier' }))
    const moved = await cases.get('uma', id)
    assert.deepEqual([moved.due_date, moved.original_due_date, moved.extension_count], ['2099-01-01', due_date, 1])
  })

  it('of one that is closed or cancelled is a 409 that says what is possible instead', async () => {
    const closed = await cases.inState('closed')
    const reply = await cases.put('petra', closed.id, { title: 'x', change_reason: 'x' })
    assert.deepEqual(
      [reply.statusCode, reply.json().code, reply.json().detail],
      [409, 'deviation_closed', `${closed.number} is closed. Reopen it to make changes.`],
    )
    const cancelled = await cases.inState('cancelled')
    const final = await cases.put('petra', cancelled.id, { title: 'x', change_reason: 'x' })
    assert.deepEqual([final.statusCode, final.json().code], [409, 'record_final'])
  })
})

// proves: DEV-04
describe('links of a deviation', () => {
  it('are set with the record, and shown with it', async () => {
    const paper = papers(world)
    const [one, two] = [await paper.effective(), await paper.effective()]
    const made = await cases.report({ document_ids: [one.id] })
    assert.deepEqual(made.document_ids, [one.id])
    const changed = ok(await cases.put('uma', made.id, { document_ids: [one.id, two.id] }))
    assert.deepEqual(changed.document_ids, [one.id, two.id])
    const taken = ok(await cases.put('uma', made.id, { document_ids: [two.id], change_reason: 'The wrong procedure' }))
    assert.deepEqual(taken.document_ids, [two.id])
    const draft = await paper.upload()
    assert.equal(
      (await world.as('uma').post('/api/deviations/', { ...least, document_ids: [draft.id] })).statusCode,
      404,
    )
  })
})

// proves: DEV-01, SVC-04
describe('the list of deviations', () => {
  const find = async (query: string) => ok(await world.as('uma').get(`/api/deviations/?page_size=100&${query}`))
  const idsOf = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id)

  it('is narrowed by state, severity, category, department, people, days, documents and words', async () => {
    const paper = papers(world)
    const document = await paper.effective()
    const { id, number } = await cases.report({
      by: 'alan',
      title: 'Unicorn in the 100%_clean room',
      severity: 'critical',
      category: 'environmental',
      department: 'Stables',
      document_ids: [document.id],
    })
    ok(await cases.put('petra', id, { assigned_to: idOf('quentin') }))
    const narrow = [
      `reported_by=${idOf('alan')}&severity=critical`,
      'category=environmental',
      'department=Stables',
      `assigned_to=${idOf('quentin')}`,
      `document_id=${document.id}`,
      'q=unicorn',
      `q=${encodeURIComponent('100%_clean')}`,
      `q=${number}`,
      'status=open&status=closed&q=unicorn',
      `date_from=${hoursAgo(1)}&q=unicorn`,
    ]
    for (const query of narrow) {
      const page = await find(query)
      assert.deepEqual([page.total, idsOf(page)], [1, [id]], query)
    }
    for (const query of ['q=unicorn&status=closed', `q=unicorn&date_to=${hoursAgo(1)}`, 'q=unicorn&severity=minor'])
      assert.equal((await find(query)).total, 0, query)
  })

  it('is sorted by seriousness, not by the alphabet', async () => {
    const rank = ['minor', 'major', 'critical']
    const severities = (await find('sort=severity:desc')).items.map(({ severity }: { severity: string }) =>
      rank.indexOf(severity),
    )
    assert.deepEqual(
      severities,
      severities.toSorted((a: number, b: number) => b - a),
    )
    assert.ok(new Set(severities).size === 3)
    assert.equal((await world.as('uma').get('/api/deviations/?sort=description')).statusCode, 422)
  })

  it('tells what is overdue by the day of the tenant, and not of what is over', async () => {
    const [late, over] = [
      await cases.report({ severity: 'critical' }),
      await cases.inState('cancelled', { severity: 'critical' }),
    ]
    assert.deepEqual([late.overdue, idsOf(await find('overdue=true')).includes(late.id)], [false, false])
    try {
      // It is not overdue on the due date itself, in any time zone.
      world.clock.moved_ms = 3 * 86_400_000
      assert.equal((await cases.get('uma', late.id)).overdue, false)
      world.clock.moved_ms = 4 * 86_400_000
      const overdue = await find('overdue=true')
      assert.ok(idsOf(overdue).includes(late.id))
      assert.ok(!idsOf(overdue).includes(over.id))
      assert.ok(overdue.items.every((each: { overdue: boolean }) => each.overdue))
      assert.ok(!idsOf(await find('overdue=false')).includes(late.id))
      assert.equal((await cases.get('uma', late.id)).overdue, true)
    } finally {
      world.clock.moved_ms = 0
    }
  })
})
