// The pure functions of the pages.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { Problem } from '../web/src/api/problem.ts'
import { pageOf, readSearch, strictly, writeSearch } from '../web/src/app/addresses.ts'
import { nextOf } from '../web/src/app/series-members.ts'
import { programOf } from '../web/src/features/account/programs.ts'
import { de as panelDe } from '../web/src/features/control-panel/words.de.ts'
import { en as panelEn } from '../web/src/features/control-panel/words.en.ts'
import { documentSearch } from '../web/src/features/documents/document-search.ts'
import { newDocumentSearch } from '../web/src/features/documents/new-document-search.ts'
import {
  documentsSearch,
  filtersOf,
  isNarrowed,
  queryOf,
  searchOfView,
  viewOf,
} from '../web/src/features/documents/search.ts'
import { type Batch, doneSteps, nextStep } from '../web/src/features/imports/batch.ts'
import { importSearch } from '../web/src/features/imports/search.ts'
import { de as importDe } from '../web/src/features/imports/words.de.ts'
import { en as importEn } from '../web/src/features/imports/words.en.ts'
import { byDay } from '../web/src/features/notifications/days.ts'
import { notificationsSearch } from '../web/src/features/notifications/search.ts'
import { askedOf, textSearch } from '../web/src/features/search/search.ts'
import { base64url, bytesFrom } from '../web/src/features/session/base64url.ts'
import { timeLeft } from '../web/src/features/session/ends.ts'
import { isAddress, signInSearch, signingSearch } from '../web/src/features/session/search.ts'
import { before } from '../web/src/features/training/curriculum-order.ts'
import { pagesOf, placeAfter, scrollTo, spanOf } from '../web/src/features/training/matrix-window.ts'
import { byNearness, heldOf, overviewOf } from '../web/src/features/training/own-training.ts'
import {
  changedOf,
  faultOf as faultOfQuestion,
  isWhole,
  newProgram,
} from '../web/src/features/training/program-form.ts'
import {
  assignmentsOfView,
  assignmentsSearch,
  matrixFilterOf,
  matrixSearch,
  viewOfAssignments,
} from '../web/src/features/training/searches.ts'
import { beginning, isReadAgain, stepNow, stepsOf } from '../web/src/features/training/training-steps.ts'
import { faultOf, sizeInWords, titleOf } from '../web/src/records/fields/file-rules.ts'
import { dayFromText } from '../web/src/ui/days.ts'
import { piecesOf } from '../web/src/ui/snippet-pieces.ts'
import { de } from '../web/src/words/de.ts'
import { en } from '../web/src/words/en.ts'

describe('the address of the list of documents', () => {
  it('holds what the list shows, and is the same when it is read again', () => {
    const search = {
      q: 'a & b',
      status: ['draft', 'effective'],
      type: [3, 7],
      mine: true as const,
      sort: 'number:asc',
      page: 2,
    }
    const text = writeSearch(search)
    assert.equal(text, '?q=a+%26+b&status=draft,effective&type=3,7&mine=true&sort=number:asc&page=2')
    assert.deepEqual(documentsSearch(readSearch(text)), search)
  })

  it('leaves out what makes no sense, and never fails', () => {
    const given = {
      status: 'draft,<b>,,draft',
      type: '3,-1,x,1e400',
      mine: 'yes',
      overdue: 'true',
      sort: 'password:asc',
      page: '-3',
      q: 'x'.repeat(500),
      other: '1',
    }
    const { q, ...rest } = documentsSearch(given)
    assert.equal(q!.length, 200)
    assert.deepEqual(rest, { status: ['draft'], type: [3], overdue: true })
    assert.deepEqual(documentsSearch({ page: 1, sort: 'updated_at:desc', status: [] }), {}, 'what is so anyway')
  })

  it('becomes what the service is asked for', () => {
    const search = documentsSearch({ mine: 'true', status: 'draft', page: '3' })
    assert.deepEqual(
      Object.entries(queryOf(search, { id: 17, today: '2026-11-25' })).filter(([, value]) => value !== undefined),
      Object.entries({ status: ['draft'], owner_id: [17], sort: 'updated_at:desc', page: 3, page_size: 25 }),
    )
    assert.equal('page' in filtersOf(search, { id: 17, today: '2026-11-25' }), false, 'a file has no pages')
    const both = filtersOf({ mine: true, owner: [17, 4], due: 90 }, { id: 17, today: '2026-11-25' })
    assert.deepEqual(both.owner_id, [17, 4])
    assert.equal(both.review_due_before, '2027-02-24', 'a review on the ninetieth day is within 90 days')
    assert.ok(isNarrowed(search))
    assert.ok(!isNarrowed({ sort: 'number:asc', page: 2, q: undefined, status: [] }))
  })
})

describe('a saved view', () => {
  it('is the list without its page, written alike whatever the order', () => {
    const given = { sort: 'number:asc', page: 3, status: ['draft'], mine: true as const, category: ['A, B'] }
    assert.equal(viewOf(given), viewOf({ category: ['A, B'], mine: true, status: ['draft'], sort: 'number:asc' }))
    assert.deepEqual(searchOfView(viewOf(given)), { ...searchOfView(viewOf(given)), category: ['A, B'] })
    assert.equal(viewOf({}), '')
    const odd = { category: ['A, B', '100 %', '%2C', 'C'], keyword: ['water, purified'] }
    assert.deepEqual(searchOfView(viewOf(odd)), odd, 'a category and a keyword may have a comma')
    assert.deepEqual(filtersOf(odd, { id: 1, today: '2026-03-01' }).keywords, ['water, purified'])
    assert.deepEqual(searchOfView('?sort=password:asc&due=-1&status=<b>'), {}, 'one that another version kept')
  })
})

describe('the search in texts', () => {
  it('is an address, and leaves out what makes no sense', () => {
    const search = { q: 'a', status: ['draft'], type: [3], page: 2 }
    assert.deepEqual(textSearch(readSearch(writeSearch(search))), search)
    assert.deepEqual(textSearch({ q: 7, status: '<b>', type: '-1', page: 'x' }), { q: '7' })
    assert.equal(askedOf(textSearch({ q: 'x'.repeat(900) })).q.length, 200)
  })

  it('shows a piece of text as text, with its marks', () => {
    assert.deepEqual(piecesOf('in &lt;b&gt; <mark>bags</mark> &amp;amp; <mark>trays</mark>'), [
      { text: 'in <b> ', isMarked: false },
      { text: 'bags', isMarked: true },
      { text: ' &amp; ', isMarked: false },
      { text: 'trays', isMarked: true },
    ])
    assert.deepEqual(piecesOf('<img src=x>'), [{ text: '<img src=x>', isMarked: false }])
  })
})

describe('other addresses', () => {
  it('of a document: a tab that there is, and a version that is one', () => {
    assert.deepEqual(documentSearch({ tab: 'timeline', version: '2.0' }), { tab: 'timeline', version: '2.0' })
    assert.deepEqual(documentSearch({ tab: 'read', version: '../1' }), {})
  })

  it('after the log-in: pages of ours alone', () => {
    for (const to of ['/', '/documents/3?tab=timeline', '/documents?q=//'])
      assert.deepEqual(signInSearch({ to }), { to })
    for (const to of [
      '//e.example',
      '/\\e.example',
      'https://e.example',
      'javascript:alert(1)',
      '',
      '/\t/e.example',
      7,
    ])
      assert.deepEqual(signInSearch({ to }), {}, String(to))
    assert.deepEqual(signInSearch({ error: 'made up', reference: '<b>' }), { error: 'refused' })
  })

  it('of a signature by the provider: an outcome that there is', () => {
    assert.deepEqual(signingSearch({ single_sign_on: 'proved' }), { outcome: 'proved' })
    const refused = { outcome: 'refused', reference: '4b1d' }
    assert.deepEqual(signingSearch({ single_sign_on: 'refused', reference: '4b1d' }), refused)
    assert.deepEqual(signingSearch(signingSearch(refused) as Record<string, unknown>), refused, 'read again')
    assert.deepEqual(signingSearch({ single_sign_on: '<b>', reference: '<b>' }), {})
  })

  it('of notifications: the preferences, or a page of what was read', () => {
    assert.deepEqual(notificationsSearch({ tab: 'preferences' }), { tab: 'preferences' })
    assert.deepEqual(notificationsSearch({ page: '3' }), { page: 3 })
    for (const given of [{ page: '1' }, { page: '-1' }, { page: '1.5' }, { page: 'x' }, { tab: 'other' }])
      assert.deepEqual(notificationsSearch(given), {})
  })

  it('of people: enough of one to ask how its domain logs in', () => {
    for (const text of ['ada@example.com', 'ada.b@a.example']) assert.ok(isAddress(text), text)
    for (const text of ['ada', 'ada@', 'ada@example', 'ada@example.c', 'a b@example.com', ''])
      assert.ok(!isAddress(text), text)
  })

  it('hand on nothing that is left out', () => {
    assert.deepEqual(strictly(signInSearch)({ to: '//e.example', other: 1 }), { to: undefined, other: undefined })
  })

  it('of a record, by its address in the API: only where there is a page', () => {
    assert.equal(pageOf('/api/documents/3/workflow'), '/documents/3')
    assert.equal(pageOf('/api/documents/31'), '/documents/31')
    assert.equal(pageOf('/api/deviations/3'), '/deviations/3')
    assert.equal(pageOf('/api/capa/3/effectiveness/1'), '/capa/3')
    assert.equal(pageOf('/api/users/3'), '/admin/users/3')
    assert.equal(pageOf('/api/users/access-reviews/3'), '/access-review/3')
    for (const link of ['/api/jobs/3', '/api/documents/', null]) assert.equal(pageOf(link), undefined)
  })
})

describe('the end of a session', () => {
  const now = Date.parse('2026-11-25T10:00:00Z')

  it('is the earlier of the two, and only before the absolute one a press is enough to stay', () => {
    const ends_at = '2026-11-25T18:00:00Z'
    assert.deepEqual(timeLeft({ idle_ends_at: '2026-11-25T10:04:02Z', ends_at }, now), { minutes: 5, canStay: true })
    assert.equal(timeLeft({ idle_ends_at: '2026-11-25T10:05:00.900Z', ends_at }, now).minutes, 5, 'a second behind')
    const last = { idle_ends_at: '2026-11-25T10:30:00Z', ends_at: '2026-11-25T10:02:00Z' }
    assert.deepEqual(timeLeft(last, now), { minutes: 2, canStay: false })
    assert.deepEqual(timeLeft({ idle_ends_at: null, ends_at: '2026-11-25T09:00:00Z' }, now).minutes, -60)
  })

  it('is no refusal of the password of a signature', () => {
    const challenge = 'Bearer error="insufficient_user_authentication"'
    assert.ok(new Problem(401, { detail: 'Log in' }, 'Bearer').isSessionOver)
    assert.ok(!new Problem(401, { detail: 'Incorrect password' }, challenge).isSessionOver)
    assert.ok(!new Problem(403, { detail: 'No' }).isSessionOver)
  })
})

it('a refusal names what is wrong with each field, and what to tell support', () => {
  const detail = [{ loc: ['body', 'comment'], msg: 'Enter a comment.' }]
  const problem = new Problem(422, { detail })
  assert.equal(problem.of('comment'), 'Enter a comment.')
  assert.equal(problem.of('title'), undefined)
  assert.equal(new Problem(500, { detail: 'Sorry', request_id: 'abc' }).reference, 'abc')
  assert.ok(new Problem(0, undefined).isPassing && new Problem(503, {}).isPassing && !new Problem(500, {}).isPassing)
})

describe('bytes of passkeys', () => {
  it('are the same after the way through JSON, whatever their length', () => {
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) % 256)
      const text = base64url(bytes.buffer)
      assert.equal(text, Buffer.from(bytes).toString('base64url'))
      assert.deepEqual(bytesFrom(text), bytes)
    }
  })
})

it('a session is named by browser and system, as people know them', () => {
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'
  assert.deepEqual(programOf(`${windows} Safari/537.36 Edg/140.0.0.0`), { browser: 'Edge', system: 'Windows' })
  assert.deepEqual(programOf(`${windows} Safari/537.36`), { browser: 'Chrome', system: 'Windows' })
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile Safari/604.1'
  assert.deepEqual(programOf(phone), { browser: 'Safari', system: 'iPhone' })
  assert.deepEqual(programOf('Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'), {
    browser: 'Firefox',
    system: 'Linux',
  })
  assert.deepEqual(programOf('curl/8.5.0'), { browser: 'curl/8.5.0', system: undefined })
})

it('notifications stand below the day that it was in the time zone of the company', () => {
  const at = (created_at: string) => ({ created_at })
  const items = [at('2026-11-25T23:30:00Z'), at('2026-11-25T22:30:00Z'), at('2026-11-25T08:00:00Z')]
  assert.deepEqual(
    byDay(items, 'Europe/Berlin').map(({ day, items }) => [day, items.length]),
    [
      ['2026-11-26', 1],
      ['2026-11-25', 2],
    ],
  )
})

/** That nothing is missing is the compiler's; that nothing was forgotten in English is seen here. */
it('German is German: no sentence of more than one word is the English one', async () => {
  const same: string[] = []
  const compare = (english: object, german: object, place: string) => {
    for (const [key, text] of Object.entries(english)) {
      const other = (german as Record<string, unknown>)[key]
      if (typeof text === 'object') compare(text, other as object, `${place}${key}.`)
      else if (typeof text === 'string' && text === other && text.includes(' ')) same.push(place + key)
    }
  }
  compare(en, de, '')
  const files = globSync('web/src/**/*words.de.ts')
  assert.ok(files.length >= 10, files.join())
  for (const file of files) {
    const { de: german } = await import(resolve(file))
    const { en: english } = await import(resolve(file.replace(/de\.ts$/, 'en.ts')))
    compare(english, german, `${file}: `)
  }
  // The statement that a signature records, names of columns, and the terms of every provider's own pages.
  const isEnglish = /\b(intent|listExample|clientId|redirectUri)$/
  assert.deepEqual(
    same.filter(place => !isEnglish.test(place)),
    [],
  )
})

it('the operators’ page names each queue of the service in both languages', () => {
  const sources = globSync('src/modules/**/*.ts').map(file => readFileSync(file, 'utf8'))
  const queues = new Set(sources.flatMap(text => [...text.matchAll(/^ +queue: '(\w+)',$/gm)].map(([, name]) => name!)))
  assert.ok(queues.size >= 5, [...queues].join())
  for (const words of [panelEn, panelDe])
    assert.deepEqual(
      [...queues].filter(name => words.health.queueNames[name] === undefined),
      [],
    )
})

describe('a file that is to be uploaded', () => {
  it('names its document', () => {
    assert.equal(titleOf('cleaning_of-line 7.v2.pdf'), 'Cleaning of line 7.v2')
    assert.equal(titleOf('SOP-0012 Gowning.docx'), 'SOP-0012 Gowning')
    assert.equal(titleOf('prüf-plan.pdf'), 'Prüf plan')
    assert.equal(titleOf('.pdf'), '')
  })

  // proves: DOC-07
  it('is refused before it is sent, where the service would refuse it', () => {
    const limits = { upload_types: ['pdf', 'docx'], max_upload_bytes: 1000 }
    assert.equal(faultOf({ name: 'plan.PDF', size: 1000 }, limits), undefined)
    assert.equal(faultOf({ name: 'plan.pdf', size: 1001 }, limits), 'size')
    assert.equal(faultOf({ name: 'plan.pdf', size: 0 }, limits), 'empty')
    assert.equal(faultOf({ name: 'plan.pdf.exe', size: 10 }, limits), 'type')
    assert.equal(faultOf({ name: 'pdf', size: 10 }, limits), 'type')
  })

  it('has a size in words', () => {
    assert.equal(sizeInWords(1, 'en-GB'), '1 byte')
    assert.equal(sizeInWords(999, 'en-GB'), '999 bytes')
    assert.equal(sizeInWords(2, 'de-DE'), '2 Byte')
    assert.equal(sizeInWords(104_857_600, 'en-GB'), '100 MB')
    assert.equal(sizeInWords(1_572_864, 'de-DE'), '1,5 MB')
  })
})

describe('a day that is pasted', () => {
  it('is read where it is one, and the day comes before the month', () => {
    assert.deepEqual(
      [' 2026-3-1 ', '01.03.2026', '1/3/2026', '29.02.2027', 'tomorrow', '2026-13-01'].map(dayFromText),
      ['2026-03-01', '2026-03-01', '2026-03-01', undefined, undefined, undefined],
    )
  })
})

describe('a series of approvals', () => {
  it('goes on behind the one in sight, then from the beginning, and past what is done', () => {
    const of = (page: string, outcome?: 'signed' | 'skipped') => ({
      ...{ page, number: page, title: page },
      ...(outcome && { outcome }),
    })
    const members = [of('a'), of('b', 'signed'), of('c'), of('d', 'skipped')]
    assert.equal(nextOf(members, 'a')?.page, 'c')
    assert.equal(nextOf(members, 'c')?.page, 'a')
    assert.equal(nextOf(members, undefined)?.page, 'a')
    assert.equal(nextOf([of('a'), of('b', 'signed')], 'a'), undefined)
  })
})

describe('the address of a new document', () => {
  it('says what it begins from', () => {
    assert.deepEqual(newDocumentSearch({ from: 'template', template: '6' }), { from: 'template', template: 6 })
    assert.deepEqual(newDocumentSearch({ from: 'template', template: 'x' }), { from: 'template' })
    assert.deepEqual(newDocumentSearch({ from: 'file', template: '6' }), {})
  })
})
describe('training', () => {
  const own = (fields: object = {}) => ({
    training_id: 1,
    assignment_id: 1,
    status: 'completed' as const,
    due_date: '2026-12-10',
    is_overdue: false,
    is_valid: true,
    valid_until: null as string | null,
    verification: { required: false, verified_at: null, verified_by: null },
    ...fields,
  })

  it('is grouped by how near its due day is', () => {
    const days = ['2026-12-20', '2026-12-03', '2026-11-26', '2026-12-04'].map(due_date => own({ due_date }))
    const late = own({ due_date: '2026-11-20', is_overdue: true })
    const groups = byNearness([...days, late], '2026-11-26')
    assert.deepEqual(
      groups.map(({ when, items }) => [when, ...items.map(({ due_date }) => due_date)]),
      [
        ['overdue', '2026-11-20'],
        ['week', '2026-11-26', '2026-12-03'],
        ['later', '2026-12-04', '2026-12-20'],
      ],
    )
  })

  it('that is held is told once, by the completion that holds longest, and what was assigned again waits for nobody', () => {
    const short = own({ assignment_id: 1, valid_until: '2027-01-01' })
    const long = own({ assignment_id: 2, valid_until: '2028-01-01' })
    assert.deepEqual(heldOf([short, long, own({ training_id: 2, is_valid: false })]), [long])
    const unverified = own({ is_valid: false, verification: { required: true, verified_at: null, verified_by: null } })
    const failed = own({ training_id: 3, status: 'failed', is_valid: false })
    assert.deepEqual(overviewOf([], [unverified, failed]), { waiting: [unverified], failed: [failed] })
    assert.deepEqual(overviewOf([{ training_id: 1 }, { training_id: 3 }], [unverified, failed]), {
      waiting: [],
      failed: [],
    })
  })

  it('goes step by step, and back to reading once another version is to be read', () => {
    const question = { key: 'a', text: 'A?', type: 'single' as const, options: [{ key: 'x', text: 'X' }] }
    const program = {
      type: 'read_and_understand' as const,
      questions: [question],
      description: '',
      document: null,
      my_assignment: { document_version: '1.0' },
    }
    assert.deepEqual(stepsOf(program), ['read', 'questions', 'sign'])
    assert.deepEqual(stepsOf({ ...program, type: 'quiz' }), ['questions', 'sign'], 'a quiz with nothing to say before')
    assert.deepEqual(stepsOf({ ...program, type: 'classroom', questions: [] }), ['work', 'sign'])
    assert.equal(stepNow(program, { ...beginning, step: 'sign' }), 'read', 'nothing is left out')
    const read = { ...beginning, read: '1.0' }
    assert.equal(stepNow(program, read), 'questions')
    const answered = { ...read, answers: { a: ['x'] } }
    assert.equal(stepNow(program, answered), 'sign')
    assert.equal(stepNow(program, { ...answered, step: 'read' }), 'read', 'it can be read once more')
    assert.equal(
      stepNow(program, { ...read, answers: { a: ['gone'] } }),
      'questions',
      'an answer that is no longer there',
    )
    const later = { ...program, my_assignment: { document_version: '2.0' } }
    assert.equal(stepNow(later, { ...answered, step: 'sign' }), 'read')
    assert.deepEqual([isReadAgain(program, answered), isReadAgain(later, answered)], [false, true])
  })

  it('has lists whose address holds them, and leaves out what makes no sense', () => {
    const search = assignmentsSearch({
      status: 'assigned,gone',
      program: '3,x',
      overdue: 'true',
      group: '-1',
      page: '1',
    })
    assert.deepEqual(search, { status: ['assigned'], overdue: true, program: [3] })
    assert.deepEqual(assignmentsOfView(viewOfAssignments({ ...search, page: 4 })), search)
    const matrix = matrixSearch({ standing: 'well', role: 'QA', program: '4,7', q: ' an ' })
    assert.deepEqual(matrix, { q: 'an', role: 'QA', program: [4, 7] })
    assert.equal(matrixFilterOf(matrix).program_ids, '4,7')
  })

  it('shows of a large matrix what is in sight, and goes through it by keys', () => {
    const rows = spanOf(3_200, 640, 32, 10_000, 4)
    assert.ok(rows.first <= 96 && rows.end >= 124 && rows.end - rows.first < 40, JSON.stringify(rows))
    assert.deepEqual(spanOf(0, 640, 32, 10, 4), { first: 0, end: 10 })
    assert.deepEqual(pagesOf({ first: 48, end: 101 }, 50), [1, 2, 3])
    assert.deepEqual(pagesOf({ first: 0, end: 0 }, 50), [])
    const size = { rows: 100, columns: 5, page: 20 }
    const from = { row: 50, column: 2 }
    assert.deepEqual(placeAfter('End', true, from, size), { row: 99, column: 4 })
    assert.deepEqual(placeAfter('Home', false, from, size), { row: 50, column: -1 }, 'the head of the row')
    assert.deepEqual(placeAfter('PageDown', false, { row: 90, column: 0 }, size), { row: 99, column: 0 })
    assert.deepEqual(placeAfter('ArrowLeft', false, { row: 0, column: -1 }, size), { row: 0, column: -1 })
    assert.equal(placeAfter('a', false, from, size), undefined)
    assert.deepEqual(
      [scrollTo(0, 100, 150, 20), scrollTo(100, 100, 40, 20), scrollTo(100, 100, 120, 20)],
      [70, 40, 100],
    )
  })

  it('has questions whose flaws are told before they are sent, and numbers that are whole', () => {
    const option = (text: string, is_correct = false) => ({ text, is_correct })
    const flaw = (text: string, type: 'single' | 'multiple', ...options: ReturnType<typeof option>[]) =>
      faultOfQuestion({ text, type, options })
    assert.equal(flaw(' ', 'single', option('a', true), option('b')), 'text')
    assert.equal(flaw('Q', 'single', option('a', true)), 'options')
    assert.equal(flaw('Q', 'single', option('a', true), option(' ')), 'optionText')
    assert.equal(flaw('Q', 'single', option('a', true), option('b', true)), 'oneRight')
    assert.equal(flaw('Q', 'multiple', option('a'), option('b')), 'right')
    assert.equal(flaw('Q', 'multiple', option('a', true), option('b', true)), undefined)
    assert.deepEqual(['', '14', ' 3 ', '1.5', 'x', '-1'].map(isWhole), [true, true, true, false, false, false])
    const sent = changedOf({ ...newProgram, title: ' T ', valid_months: '' }, 7)
    assert.deepEqual([sent.title, sent.valid_months, sent.revision], ['T', null, 7])
    assert.equal(sent.passing_score, undefined, 'a setting of questions that there are none of')
  })

  it('of a curriculum waits for each prerequisite above it', () => {
    const all = [true, false, true].map((is_prerequisite, id) => ({
      ...{ id, number: `TRN-${id}`, title: '', isArchived: false, is_prerequisite },
    }))
    assert.deepEqual(
      all.map((_, at) => before(all, at).map(({ id }) => id)),
      [[], [0], [0]],
    )
  })
})

describe('the steps of an import', () => {
  const none = { new: 0, ok: 0, warning: 0, error: 0, loaded: 0, verified: 0, differs: 0 }
  type Facts = Parameters<typeof nextStep>[0]
  const batchOf = (status: Batch['status'], change: Partial<Facts> = {}): Facts => ({
    ...{ status, rows: 9, counts: { ...none, ok: 9 }, sheets: [{ missing: [] }] },
    samples: { proposed: 3, done: 0, differ: 0 },
    you: { may: [], why_not: {} },
    ...change,
  })

  it('lead to the first that is not done, and to samples only whoever may compare them', () => {
    const judge = { you: { may: ['sample' as const], why_not: {} } }
    const steps: [step: string, batch: Facts][] = [
      ['files', batchOf('staging', { rows: 0, sheets: [] })],
      ['columns', batchOf('staging', { sheets: [{ missing: [] }, { missing: ['number'] }] })],
      ['check', batchOf('staging', { counts: { ...none, new: 9 } })],
      ['check', batchOf('checking')],
      ['check', batchOf('checked', { counts: { ...none, ok: 8, error: 1 } })],
      ['rehearse', batchOf('checked')],
      ['rehearse', batchOf('rehearsing')],
      ['check', batchOf('rehearsed', { counts: { ...none, ok: 8, error: 1 } })],
      ['accept', batchOf('rehearsed')],
      ['sample', batchOf('rehearsed', judge)],
      ['sample', batchOf('rehearsed', { ...judge, samples: { proposed: 3, done: 3, differ: 1 } })],
      ['accept', batchOf('rehearsed', { ...judge, samples: { proposed: 3, done: 3, differ: 0 } })],
      ['accept', batchOf('loading', judge)],
      ['accept', batchOf('failed', { counts: { ...none, loaded: 8, error: 1 } })],
      ['release', batchOf('reconciling')],
      ['release', batchOf('loaded')],
      ['release', batchOf('released')],
      ['check', batchOf('discarded')],
    ]
    for (const [step, batch] of steps) assert.equal(nextStep(batch), step, JSON.stringify(batch))
  })

  it('stay done once the import is accepted, also where a row was refused', () => {
    const done = doneSteps(batchOf('failed', { counts: { ...none, loaded: 8, error: 1 } }))
    assert.deepEqual([done.check, done.rehearse, done.accept, done.release], [true, true, false, false])
  })

  it('are in the address, without what makes no sense', () => {
    const search = importSearch({
      step: 'check',
      sheet: 'documents',
      status: ['error', 'warning'],
      page: '2',
      row: '7',
    })
    assert.deepEqual(importSearch(readSearch(writeSearch({ ...search }))), search)
    const { page, row, status, q } = importSearch({ page: '-1', row: 'x', status: '', q: '' })
    assert.deepEqual([page, row, status, q], [undefined, undefined, undefined, undefined])
  })

  it('name each field of a record in both languages', () => {
    assert.deepEqual(Object.keys(importDe.fields).sort(), Object.keys(importEn.fields).sort())
  })
})
