// The service says in German all that it says in English, and nothing of it is half English.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import '../src/german.ts'
import '../src/commands/doctor/running.ts'
import { isTranslated, type MessageParams, translate } from '#kernel/message.ts'
import { cases } from '#test/builders/cases.ts'
import { papers } from '#test/builders/documents.ts'
import { englishIn, readsGerman } from '#test/builders/languages.ts'
import { accepted, draftDocument } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { catalogues, type Entry, lines, printed } from '../tools/docs/catalogues.ts'

/** The lines of `doctor` that the operators' page shows: its own, and those of all commands that it uses. */
const doctor = globSync('src/commands/doctor/*.ts').map(file => readFileSync(file, 'utf8'))
const used = new Set(
  doctor.flatMap(text => [...text.matchAll(/\b(?:lines|commandLines)\.(\w+)/g)].map(([, code]) => code)),
)
const shown = lines.filter(({ folder, code }) => folder.startsWith('commands') && used.has(code))

const entries = [...catalogues, ...printed, ...shown]

/** Each parameter stands as a list with its own name, as in the English entries. */
const named = new Proxy<MessageParams>(
  {},
  {
    get: (_target, name) => (name === 'parts' ? undefined : [`{${String(name)}}`]),
    ownKeys: () => [],
  },
)

function faultOf({ code, sentence, title }: Entry): string | undefined {
  const said = translate('de', { code, params: named })
  if (!said) return 'has no German'
  const german = `${said.title ?? ''} ${said.text}`
  if (/undefined|NaN|\[object/.test(german)) return `lacks a parameter: ${german}`
  const missing = [...`${title ?? ''} ${sentence}`.matchAll(/\{\w+\}/g)]
    .map(([name]) => name)
    .filter(name => name !== '{kind}' && !german.includes(name))
  if (missing.length > 0) return `does not say ${[...new Set(missing)].join(', ')}: ${german}`
  const word = englishIn(german)
  return word === undefined ? undefined : `says "${word}": ${german}`
}

describe('the German sentences', () => {
  it('are all there', () => {
    assert.ok(shown.length > 50 && used.has('failure_reported'))
    assert.deepEqual(
      entries.filter(({ code }) => !isTranslated('de', code)).map(({ folder, code }) => `${folder}: ${code}`),
      [],
    )
  })

  it('say each fact of the English ones, in German', () => {
    const faults = entries.flatMap(entry => {
      const fault = faultOf(entry)
      return fault === undefined ? [] : [`${entry.folder}: ${entry.code} ${fault}`]
    })
    assert.deepEqual(faults, [])
  })
})

describe('a person who reads German', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const read = async (name: string, url: string, headers = {}) =>
    (await accepted(world.as(name).get(url, headers))).json()
  const inBoth = async (name: string, url: string) => [await read(name, url), await read(name, url, readsGerman)]

  it('reads in German where a document stands, and who must decide', async () => {
    const [{ id: type }] = (await world.rows(`select id from document_types where tenant_id = $1 and name = 'SOP'`, [
      world.people.ada!.tenant_id,
    ])) as [{ id: string }]
    const id = await draftDocument(world, 'quinn', Number(type))
    await accepted(world.as('quinn').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
    const [english, german] = await inBoth('quinn', `/api/documents/${id}/workflow`)
    assert.match(english.summary, /is in the state .* awaits /)
    assert.match(german.summary, /ist in Prüfung.*wartet auf 1 Person mit der /)
    assert.deepEqual(
      [german.summary, ...german.waits_for, german.you.why_not.detail].map(englishIn),
      [undefined, undefined, undefined],
      JSON.stringify([german.waits_for, german.you.why_not]),
    )
    assert.deepEqual(german.you.why_not.code, english.you.why_not.code)
    assert.deepEqual(german.you.why_not.params, english.you.why_not.params, 'the facts are the same')
    const refused = await world.as('quinn').post(`/api/documents/${id}/approve`, { comment: 'Mine' }, readsGerman)
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json().detail, german.you.why_not.detail)
    assert.deepEqual(
      await world.rows(`select reason from audit_entries where action = 'access.denied' order by id desc limit 1`),
      [{ reason: `${(await read('quinn', `/api/documents/${id}`)).number} (${id}): ${english.you.why_not.detail}` }],
      'the audit trail has what a reader of English is told',
    )
  })

  it('reads in German what keeps a deviation from going on, what to do with it, and what was told of it', async () => {
    const { id } = await cases(world).deviation({ by: 'alan' })
    const refused = await world.as('quinn').put(`/api/deviations/${id}`, { status: 'under_investigation' }, readsGerman)
    assert.equal(refused.statusCode, 409)
    assert.match(refused.json().detail, /„in Untersuchung“.* Weisen Sie sie zuerst jemandem zu\.$/)
    assert.equal(refused.json().params.parts, undefined, 'the parts of a sentence are of no use outside')
    const lists = [
      await read('quinn', '/api/dashboard/unassigned-items', readsGerman),
      await read('quinn', '/api/deviations/', readsGerman),
    ]
    const toDo = JSON.stringify(lists).match(/"to_do":"[^"]*"/g) ?? []
    assert.ok(toDo.length > 0)
    assert.deepEqual(
      toDo.map(each => englishIn(each.slice(9))),
      toDo.map(() => undefined),
      toDo.join(),
    )
    const [english, german] = await inBoth('quinn', '/api/notifications?page_size=100')
    assert.ok(german.items.length > 0)
    for (const [at, { title, message, code, params }] of english.items.entries()) {
      const said = translate('de', { code, params })!
      assert.deepEqual([german.items[at].title, german.items[at].message], [said.title, said.text])
      assert.notEqual(german.items[at].title, title)
      assert.notEqual(message, '')
    }
  })

  it('reads in German what a suggestion, a similar deviation and the checks of a signature say', async () => {
    const description = 'The label of another product was found in a sealed bottle of batch 12'
    const ask = { description }
    const suggested = (headers = {}) =>
      accepted(world.as('uma').post('/api/deviations/suggest-severity', ask, headers)).then(reply => reply.json())
    const [english, german] = [await suggested(), await suggested(readsGerman)]
    assert.match(english.rationale, /^Published rules, without AI: /)
    assert.match(german.rationale, /^Veröffentlichte Regeln, ohne KI: .* Punkte \(/)
    assert.deepEqual([german.code, german.by_rules.code], ['severity_by_rules', 'severity_by_rules'])

    const report = { title: 'Label of another product', description, severity: english.severity }
    const { id } = (
      await accepted(world.as('uma').post('/api/deviations/', { ...report, severity_decision: 'accepted' }))
    ).json()
    const stored = await inBoth('petra', `/api/deviations/${id}`)
    assert.deepEqual(
      stored.map(each => each.severity_suggestion.rationale),
      [english.rationale, german.rationale],
    )
    await accepted(world.as('uma').put(`/api/deviations/${id}`, { description: 'A door was left open' }))
    const [now, changed] = await inBoth('petra', `/api/deviations/${id}`)
    assert.equal(changed.severity_suggestion.rationale, english.rationale, 'of what was described then')
    assert.equal(now.severity_suggestion.code, undefined)

    const similar = await read('petra', '/api/deviations/similar?q=Label+of+another+product', readsGerman)
    assert.match(similar.items[0].why[0], /^Wörter: /)

    const { effective } = papers(world)
    const document = await effective({ title: 'Drawing' })
    const [signature] = (await read('quinn', `/api/signatures/?resource_type=document&resource_id=${document.id}`))
      .items
    const checks = (await read('quinn', `/api/signatures/${signature.id}`, readsGerman)).verification.checks
    assert.deepEqual(
      checks.map(({ detail }: { detail: string }) => englishIn(detail)),
      checks.map(() => undefined),
      JSON.stringify(checks),
    )
  })

  it('reads in German which values of a request are wrong', async () => {
    const reply = await world.as('uma').post('/api/deviations/', { title: '', severity: 'huge', when: 1 }, readsGerman)
    assert.equal(reply.statusCode, 422)
    const { detail } = reply.json() as { detail: { msg: string; type: string }[] }
    assert.ok(detail.length >= 3)
    assert.deepEqual(
      detail.map(({ msg }) => englishIn(msg)),
      detail.map(() => undefined),
      reply.body,
    )
  })
})

describe('the language of an answer', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const languageFor = async (wanted?: string) => {
    const reply = await world.as('quinn').get('/api/nothing', wanted === undefined ? {} : { 'accept-language': wanted })
    assert.equal(reply.statusCode, 404)
    assert.match(String(reply.headers.vary), /Accept-Language/)
    return reply.headers['content-language']
  }

  it('is the first that the reader takes, and English where it names none of ours', async () => {
    assert.equal(await languageFor(), 'en')
    for (const [wanted, language] of Object.entries({
      ...{ de: 'de', 'de-AT': 'de', DE: 'de', 'en, de': 'en', 'fr, de;q=0.5': 'de', 'en;q=0.4, de;q=0.8': 'de' },
      ...{ '*': 'en', 'fr, *': 'en', fr: 'en', 'de;q=0': 'en', '': 'en', ';;,,q=': 'en', 'de;q=x': 'en' },
    }))
      assert.equal(await languageFor(wanted), language, wanted)
  })

  it('is that of the reader also where an answer is given again for its Idempotency-Key', async () => {
    const post = (more = {}) =>
      world.as('ada').post('/api/groups/', { name: 'Readers' }, { 'idempotency-key': 'language', ...more })
    const [first, again] = [await post(), await post(readsGerman)]
    assert.equal(again.headers['idempotency-replayed'], 'true', again.body)
    assert.deepEqual(again.json(), first.json())
    assert.deepEqual(
      [first, again].map(({ headers }) => headers['content-language']),
      ['en', 'de'],
    )
  })
})
