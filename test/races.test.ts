// Actions of people at the same moment. The moment is made, not hoped for: a lock holds all of them back until all wait for it.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { meetingInOrder } from '#test/builders/races.ts'
import { races } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
  // The author may not approve anyway, so every reviewer is left.
  const granted = { granted: ['documents.configure_approval'], denied: [] }
  ok(await world.as('ada').put(`/api/users/${world.people.alan!.id}/permissions`, granted))
})
after(() => world.close())

type Reply = Awaited<ReturnType<typeof paper.approve>>
const statuses = (replies: Reply[]) => replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b)
const refusals = (replies: Reply[]) => replies.filter(({ statusCode }) => statusCode >= 400).map(({ body }) => body)

const atDocument = (id: number, ...starts: (() => Promise<Reply>)[]) =>
  meetingInOrder(world, { text: 'select from documents where id = $1 for update', values: [id] }, starts)

/** The stored result of the round: who decided, the state of the version, and the history. */
async function stored(id: number) {
  const decisions = await world.rows<Json>(
    'select c.transition, u.username, c.is_void from document_decisions c join users u on u.id = c.user_id where c.document_id = $1 order by c.id',
    [id],
  )
  const moves = await world.rows<Json>('select transition from document_history where document_id = $1 order by id', [
    id,
  ])
  const [{ status }] = (await world.rows<Json>(
    'select v.status from document_versions v where v.document_id = $1 order by v.id desc',
    [id],
  )) as [Json]
  return {
    status,
    decisions: decisions
      .filter(({ is_void }) => !is_void)
      .map(({ transition, username }) => `${transition} ${username}`),
    moves: moves.map(({ transition }) => transition),
  }
}

const chosen = { transition: 'review', change_reason: 'A colleague is absent' }

/** In review, where so many different reviewers must approve. */
async function reviewOf(count: number) {
  const { id } = await paper.upload()
  const approvers = [{ kind: 'permission', who: 'documents.review', count }]
  ok(await world.as('alan').post(`/api/documents/${id}/configure-approval`, { ...chosen, approvers }))
  ok(await paper.move('alan', id, 'submit'))
  return id
}

describe('two approvers at the same moment (proves: DOC-05)', () => {
  it('of one approval that is needed, again and again: one is recorded, the other is told, one transition is taken', async () => {
    for (let repetition = 0; repetition < races(50); repetition++) {
      const { id } = await paper.submitted()
      const replies = await atDocument(
        id,
        () => paper.approve('petra', id),
        () => paper.approve('quinn', id),
      )
      assert.deepEqual(statuses(replies), [200, 409])
      assert.match(refusals(replies)[0]!, /was changed in the meantime/)
      assert.deepEqual(await stored(id), {
        status: 'in_approval',
        decisions: ['review petra'],
        moves: ['created', 'submit', 'review'],
      })
    }
  })

  it('the last two of three: both are recorded, and the document moves exactly once', async () => {
    for (let repetition = 0; repetition < races(20); repetition++) {
      const id = await reviewOf(3)
      ok(await paper.approve('ada', id))
      const replies = await atDocument(
        id,
        () => paper.approve('petra', id),
        () => paper.approve('quinn', id),
      )
      assert.deepEqual(statuses(replies), [200, 200])
      assert.deepEqual(await stored(id), {
        status: 'in_approval',
        decisions: ['review ada', 'review petra', 'review quinn'],
        moves: ['created', 'submit', 'review'],
      })
    }
  })

  it('the same person twice: one approval', async () => {
    const id = await reviewOf(2)
    const replies = await atDocument(
      id,
      () => paper.approve('petra', id),
      () => paper.approve('petra', id),
    )
    assert.deepEqual(statuses(replies), [200, 409])
    assert.match(refusals(replies)[0]!, /You have already approved the review step/)
    assert.deepEqual((await stored(id)).decisions, ['review petra'])
    assert.equal(ok(await world.as('otto').get(`/api/signatures/?document_id=${id}`)).total, 1)
  })

  it('many times without a meeting place, in every order that comes: never stuck, never twice', async () => {
    for (let repetition = 0; repetition < races(200); repetition += 20) {
      const ids = await Promise.all(Array.from({ length: 20 }, () => reviewOf(2)))
      const replies = await Promise.all(ids.flatMap(id => [paper.approve('petra', id), paper.approve('quinn', id)]))
      assert.deepEqual(new Set(statuses(replies)), new Set([200]))
      for (const id of ids) {
        const { status, decisions, moves } = await stored(id)
        assert.deepEqual(
          [status, decisions.sort(), moves],
          ['in_approval', ['review petra', 'review quinn'], ['created', 'submit', 'review']],
        )
      }
    }
  })

  it('one approves, the other rejects: one of the two happens', async () => {
    for (const order of [0, 1]) {
      const { id } = await paper.submitted()
      const starts = [
        () => paper.approve('petra', id),
        () => paper.approve('quinn', id, { decision: 'reject', comment: 'No' }),
      ]
      const replies = await atDocument(id, ...(order === 0 ? starts : starts.toReversed()))
      assert.deepEqual(statuses(replies), [200, 409])
      assert.equal((await stored(id)).status, order === 0 ? 'in_approval' : 'draft')
    }
  })
})

describe('a part in an approval is handed on while somebody decides (proves: DOC-05)', () => {
  const idOf = (name: string) => world.people[name]!.id
  const hand = (by: string, id: number, to: string) =>
    world.as(by).post(`/api/documents/${id}/delegate`, { to: idOf(to), reason: 'On leave' })
  const takeBack = (by: string, id: number) => world.as(by).post(`/api/documents/${id}/end-delegation`, {})

  it('the giver decides before, or has handed it on: never both, each time', async () => {
    for (let repetition = 0; repetition < races(50); repetition++) {
      const { id } = await paper.submitted()
      const both = [() => hand('petra', id, 'quentin'), () => paper.approve('petra', id)]
      const replies = await atDocument(id, ...(repetition % 2 ? both : both.toReversed()))
      assert.deepEqual(statuses(replies)[0], 200, refusals(replies).join())
      assert.equal(refusals(replies).length, 1)
      const { status, decisions } = await stored(id)
      if (repetition % 2) assert.deepEqual([status, decisions], ['in_review', []])
      else assert.deepEqual([status, decisions], ['in_approval', ['review petra']])
      if (repetition % 2) ok(await paper.approve('quentin', id))
      assert.equal((await stored(id)).decisions.length, 1, 'one approval, whoever gave it')
    }
  })

  it('who received it decides, or it was taken back: never both', async () => {
    for (let repetition = 0; repetition < races(20); repetition++) {
      const { id } = await paper.upload()
      const approvers = [{ kind: 'user', who: idOf('petra') }]
      ok(await world.as('quinn').post(`/api/documents/${id}/configure-approval`, { ...chosen, approvers }))
      ok(await paper.move('alan', id, 'submit'))
      ok(await hand('petra', id, 'quentin'))
      const both = [() => takeBack('petra', id), () => paper.approve('quentin', id)]
      const replies = await atDocument(id, ...(repetition % 2 ? both : both.toReversed()))
      assert.deepEqual(statuses(replies), repetition % 2 ? [200, 403] : [200, 409])
      if (repetition % 2) ok(await paper.approve('petra', id))
      assert.equal((await stored(id)).status, 'in_approval')
    }
  })

  it('the same part to two people at once: to one of them', async () => {
    for (let repetition = 0; repetition < races(20); repetition++) {
      const { id } = await paper.submitted()
      const replies = await atDocument(
        id,
        () => hand('petra', id, 'quentin'),
        () => hand('petra', id, 'quinn'),
      )
      assert.deepEqual(statuses(replies), [200, 409])
    }
  })

  it('to each other at once: one of the two, and the approval can still be given', async () => {
    const { id } = await paper.submitted()
    const replies = await atDocument(
      id,
      () => hand('petra', id, 'quentin'),
      () => hand('quentin', id, 'petra'),
    )
    assert.deepEqual(statuses(replies), [200, 409])
    assert.equal(ok(await paper.approve('quentin', id)).status, 'in_approval')
  })

  it('while the approval is configured: the part is one in the rules as they were, and ends with them', async () => {
    for (const order of [0, 1]) {
      const { id } = await paper.submitted()
      const approvers = [{ kind: 'user', who: idOf('quinn') }]
      const both = [
        () => hand('petra', id, 'ada'),
        () => world.as('ada').post(`/api/documents/${id}/configure-approval`, { ...chosen, approvers }),
      ]
      const replies = await atDocument(id, ...(order === 0 ? both : both.toReversed()))
      assert.deepEqual(statuses(replies), order === 0 ? [200, 200] : [200, 403])
      assert.equal((await paper.approve('ada', id)).statusCode, 403)
      assert.equal(ok(await paper.approve('quinn', id)).status, 'in_approval')
    }
  })

  it('while the document is withdrawn: nothing of it lasts into the next round', async () => {
    for (const order of [0, 1]) {
      const { id } = await paper.submitted()
      const both = [() => hand('petra', id, 'quentin'), () => paper.move('alan', id, 'withdraw')]
      const replies = await atDocument(id, ...(order === 0 ? both : both.toReversed()))
      assert.deepEqual(statuses(replies), order === 0 ? [200, 200] : [200, 409])
      ok(await paper.move('alan', id, 'submit'))
      assert.equal(ok(await paper.approve('petra', id)).status, 'in_approval')
    }
  })
})

describe('an approval is of what its giver could read', () => {
  const put = (id: number, body: object = {}) =>
    world.as('alan').put(`/api/documents/${id}`, { title: 'Changed', change_reason: 'Typo', ...body })

  it('against a change of the metadata: it is given before, and voided, or not at all', async () => {
    const { id } = await paper.submitted()
    const [change, approval] = await atDocument(
      id,
      () => put(id),
      () => paper.approve('petra', id),
    )
    assert.deepEqual([change!.statusCode, approval!.statusCode], [200, 409])
    assert.match(approval!.body, /workflow_submission_refused/)
    assert.deepEqual([(await stored(id)).status, (await stored(id)).decisions], ['draft', []])

    const { id: other } = await paper.submitted()
    const replies = await atDocument(
      other,
      () => paper.approve('petra', other),
      () => put(other),
    )
    assert.deepEqual(statuses(replies), [200, 200])
    assert.deepEqual([(await stored(other)).status, (await stored(other)).decisions], ['draft', []])
    const [signature] = ok(await world.as('otto').get(`/api/signatures/?document_id=${other}`)).items
    assert.equal(ok(await world.as('otto').get(`/api/signatures/${signature.id}`)).verification.status, 'void')
  })

  it('a draft that its approver would submit and approve at once is not another one by then', async () => {
    const { id } = await paper.upload({ type: 'General document', by: 'quinn' })
    const change = () => world.as('petra').put(`/api/documents/${id}`, { title: 'Something else' })
    const [changed, approved] = await atDocument(id, change, () => paper.approve('quinn', id))
    assert.deepEqual([changed!.statusCode, approved!.statusCode], [200, 409])
    assert.equal((await stored(id)).status, 'draft')
  })

  it('against another configuration of the approval: by the rules as they were, or refused by those that they became', async () => {
    const configure = (id: number) =>
      world.as('quinn').post(`/api/documents/${id}/configure-approval`, {
        ...chosen,
        approvers: [{ kind: 'user', who: world.people.quentin!.id }],
      })
    const { id } = await paper.submitted()
    const [configured, approval] = await atDocument(
      id,
      () => configure(id),
      () => paper.approve('petra', id),
    )
    assert.deepEqual([configured!.statusCode, approval!.statusCode], [200, 403])
    const { id: other } = await paper.submitted()
    const [approved, late] = await atDocument(
      other,
      () => paper.approve('petra', other),
      () => configure(other),
    )
    assert.deepEqual([approved!.statusCode, late!.statusCode], [200, 409])
    assert.match(late!.body, /document_approval_begun/)
  })

  it('against a withdrawal, a new file, each time: one of the two', async () => {
    for (let repetition = 0; repetition < races(20); repetition++) {
      const { id } = await paper.submitted()
      const other = () => (repetition % 2 ? paper.move('alan', id, 'withdraw') : paper.addVersion(id))
      const [won, lost] = await atDocument(id, other, () => paper.approve('petra', id))
      assert.ok(won!.statusCode < 300, won!.body)
      assert.equal(lost!.statusCode, 409)
      assert.deepEqual((await stored(id)).decisions, [])
    }
  })

  it('given before a withdrawal: it is voided with the round, and can be given again', async () => {
    for (let repetition = 0; repetition < races(10); repetition++) {
      const { id } = await paper.submitted()
      const replies = await atDocument(
        id,
        () => paper.approve('petra', id),
        () => paper.move('alan', id, 'withdraw'),
      )
      assert.deepEqual(statuses(replies), [200, 200])
      const { status, decisions, moves } = await stored(id)
      assert.deepEqual([status, decisions, moves], ['draft', [], ['created', 'submit', 'review', 'withdraw']])
      ok(await paper.move('alan', id, 'submit'))
      assert.equal(ok(await paper.approve('petra', id)).status, 'in_approval')
    }
  })
})

describe('one signature (proves: SIG-01)', () => {
  const signAs = (name: string, document_id: number) =>
    world
      .as(name)
      .post('/api/signatures/', { document_id, signature_type: 'acknowledgement', intent: 'I have read it' })

  it('of 50 identical requests at once: one is made, 49 are told', async () => {
    for (let repetition = 0; repetition < races(4); repetition++) {
      const { id } = await paper.effective()
      const replies = await Promise.all(Array.from({ length: 50 }, () => signAs('uma', id)))
      assert.deepEqual(statuses(replies), [201, ...Array(49).fill(409)])
      assert.deepEqual(
        await world.rows(
          `select count(*)::int from signatures where document_id = $1 and signature_type = 'acknowledgement'`,
          [id],
        ),
        [{ count: 1 }],
      )
      assert.deepEqual(
        await world.rows(
          `select count(*)::int from audit_entries where action = 'signature.created' and changes->'document_id'->>'to' = $1 and username = 'uma'`,
          [String(id)],
        ),
        [{ count: 1 }],
      )
    }
  })

  it('of different people at once: each has theirs', async () => {
    const { id } = await paper.effective()
    const names = ['uma', 'anna', 'petra', 'quentin', 'quinn', 'ada']
    assert.deepEqual(
      statuses(await Promise.all(names.map(name => signAs(name, id)))),
      names.map(() => 201),
    )
  })
})

describe('numbers and labels', () => {
  it('50 uploads at once have 50 numbers without a gap, though some are refused between them', async () => {
    const type = await world.typeId('Report')
    const refused = () => world.as('alan').upload('/api/documents/upload', { title: ' ', document_type: type })
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => [
        paper.upload({ type: 'Report', by: i % 2 ? 'alan' : 'anna' }),
        ...(i % 10 ? [] : [refused()]),
      ]).flat(),
    )
    const numbers = new Set(replies.map(each => (each as Json).number).filter(number => number !== undefined))
    assert.deepEqual(numbers, new Set(Array.from({ length: 50 }, (_, i) => `REP-${String(i + 1).padStart(4, '0')}`)))
  })

  it('an upload that fails after it took a number gives it back', async () => {
    await world.rows(
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$`,
    )
    await world.rows(`create trigger fail before insert on document_history for each row execute function fail()`)
    const reply = await world
      .as('alan')
      .upload('/api/documents/upload', { title: 'Lost', document_type: await world.typeId('Report') })
    await world.rows('drop trigger fail on document_history')
    assert.equal(reply.statusCode, 500)
    assert.equal((await paper.upload({ type: 'Report' })).number, 'REP-0051')
  })

  it('two new versions at once: each its own label, one of them under way, and no file without a version', async () => {
    const { id } = await paper.effective()
    const replies = await atDocument(
      id,
      () => paper.addVersion(id),
      () => paper.addVersion(id),
    )
    assert.deepEqual(statuses(replies), [201, 201])
    const versions = await paper.get('otto', id, '/versions')
    assert.deepEqual(
      versions.map(({ version, status }: Json) => [version, status]),
      [
        ['1.2', 'draft'],
        ['1.1', 'superseded'],
        ['1.0', 'effective'],
      ],
    )
    const stored = globSync(`${world.services.config.upload_dir}/**/*`, { withFileTypes: true }).filter(
      each => each.isFile() && /^[0-9a-f-]{36}$/.test(each.name),
    )
    const named = await world.rows<{ file_key: string }>('select file_key from document_versions')
    const lost = new Set(stored.map(({ name }) => name)).difference(
      new Set(named.map(({ file_key }) => file_key.split('/').at(-1)!)),
    )
    // The upload that failed on purpose is the only one of which nobody could say whether it had committed.
    assert.ok(lost.size <= 1, [...lost].join(', '))
  })

  it('two versions never become effective together', async () => {
    const { id } = await paper.upload({ type: 'General document', by: 'quinn' })
    const replies = await atDocument(
      id,
      () => paper.approve('quinn', id),
      () => paper.approve('petra', id),
    )
    assert.deepEqual(statuses(replies), [200, 409])
    assert.deepEqual(
      await world.rows(
        `select count(*)::int from document_versions where document_id = $1 and status_kind = 'effective'`,
        [id],
      ),
      [{ count: 1 }],
    )
  })
})

describe('two changes of the same revision (proves: DOC-04)', () => {
  const put = (by: string, id: number, body: object) => () => world.as(by).put(`/api/documents/${id}`, body)

  it('one is stored, the other is told what changed since and by whom', async () => {
    for (let repetition = 0; repetition < races(20); repetition++) {
      const { id } = await paper.upload()
      const replies = await atDocument(
        id,
        put('alan', id, { title: 'By Alan', revision: 1 }),
        put('petra', id, { category: 'By Petra', revision: 1 }),
      )
      assert.deepEqual(statuses(replies), [200, 409])
      assert.match(refusals(replies)[0]!, /Changed since: alan at .*title/)
      const { title, category, revision } = await paper.get('alan', id)
      assert.deepEqual([title, category, revision], ['By Alan', null, 2])
    }
  })

  it('without a revision both are stored, and the trail is true about each', async () => {
    const { id } = await paper.upload()
    const replies = await atDocument(id, put('alan', id, { title: 'First' }), put('petra', id, { title: 'Second' }))
    assert.deepEqual(statuses(replies), [200, 200])
    const { items } = ok(await world.as('otto').get(`/api/audit/?action=document.updated&resource_id=${id}&sort=id`))
    assert.deepEqual(
      items.map(({ changes }: Json) => changes.title),
      [
        { from: 'Cleaning of line 1', to: 'First' },
        { from: 'First', to: 'Second' },
      ],
    )
    assert.deepEqual(
      items.map(({ changes }: Json) => changes.revision),
      [
        { from: 1, to: 2 },
        { from: 2, to: 3 },
      ],
    )
  })
})

describe('the same name at the same moment', () => {
  it('of a new document type: one is made, nineteen are told', async () => {
    const create = () =>
      world.as('quinn').post('/api/document-types/', { name: 'Twin', prefix: 'TW', workflow_template_id: 1 })
    assert.deepEqual(statuses(await Promise.all(Array.from({ length: 20 }, create))), [201, ...Array(19).fill(409)])
  })

  it('of types that are renamed: one is, the other is told, and not by a 500', async () => {
    const make = async (name: string, prefix: string) =>
      ok(await world.as('quinn').post('/api/document-types/', { name, prefix, workflow_template_id: 1 })).id as number
    const ids = [await make('Left', 'REL'), await make('Right', 'RER')]
    const rename = (id: number) => () => world.as('quinn').put(`/api/document-types/${id}`, { name: 'Middle' })
    const lock = { text: 'select from document_types where id = any ($1) for update', values: [ids] }
    const replies = await meetingInOrder(world, lock, ids.map(rename))
    assert.deepEqual(statuses(replies), [200, 409])
  })
})
