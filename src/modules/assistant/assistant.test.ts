import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ok, papers } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { told } from '#test/builders/told.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { openWorld, type World } from '#test/world/world.ts'

const nothing = 'The documents that you may read do not say this.'

describe('the assistant', () => {
  let world: World
  let model: Openai
  let gowning: { id: number; number: string; version_id: number }
  before(async () => {
    model = await openOpenai()
    world = await openWorld({ ...model.environment, AI_MAX_INPUT_TOKENS: '6000' })
    gowning = await told(world).effective({
      title: 'Gowning for the filling room',
      heading: 'Gloves',
      pages: [
        'This procedure is for everybody who enters the filling room.',
        'Gloves are disinfected every 30 minutes. Gloves are changed every two hours, and after each intervention.',
      ],
    })
    await told(world).ofRival({
      title: 'Gloves of rival',
      pages: ['Gloves of the rival company are changed every nine hours: zebra protocol.'],
    })
  })
  after(async () => {
    await world.close()
    await model.close()
  })
  beforeEach(() => {
    model.requests.length = 0
    model.answer('Gloves are changed every two hours [1].')
  })

  const chat = (by: string, message: string, context_documents?: number[]) =>
    world.as(by).post('/api/ai/chat', { message, ...(context_documents && { context_documents }) })
  const numberOf = (text: string) => {
    const { prompt } = model.requests.at(-1)!
    const mark = new RegExp(`source \\[(\\d+)\\][^\\n]*\\n(?:(?!--- )[^\\n]*\\n)*?[^\\n]*${text}`).exec(prompt)?.[1]
    assert.ok(mark, `no source says ${text}: ${prompt}`)
    return mark
  }
  const entries = async (id?: number) =>
    world.rows<{ action: string; outcome: string; changes: Record<string, { to: unknown }>; reason: string | null }>(
      `select action, outcome, changes, reason from audit_entries where resource_type = 'ai_call' and ($1::bigint is null or resource_id = $1) order by id`,
      [id ?? null],
    )
  const lastCall = async () => (await world.rows('select * from ai_calls order by id desc limit 1'))[0]!

  describe('asked a question (proves: AI-01)', () => {
    it('answers from a document and cites version, page and words of it', async () => {
      model.answer(() => `Change them every two hours [${numberOf('every two hours')}].`)
      const answer = ok(await chat('alan', 'How often are gloves changed?'))
      assert.equal(answer.grounded, true)
      assert.equal(answer.is_cut, false)
      assert.match(answer.answer, /^Change them every two hours \[\d\]\.$/)
      const [{ mark, ...citation }] = answer.citations
      assert.deepEqual(citation, {
        document_id: gowning.id,
        number: gowning.number,
        title: 'Gowning for the filling room',
        version: '1.0',
        page: 2,
        heading: 'Gloves',
        quote: 'Gloves are changed every two hours, and after each intervention.',
      })
      assert.ok(answer.answer.includes(`[${mark}]`))
      assert.deepEqual([answer.provider, answer.model], ['openai-compatible', 'test-model'])
      assert.match(answer.disclaimer, /Check it against them/)
      assert.match(answer.request_id, /^[0-9a-f]{32}$/)
    })

    it('says so in a fixed sentence where the documents do not say it, whatever the model makes up', async () => {
      for (const text of [
        'NOT_IN_SOURCES',
        'Paris is the capital of France.',
        'Paris is the capital of France [1].',
        'Yes [99].',
        '',
      ]) {
        model.answer(text === '' ? () => ({ text: ' ' }) : text)
        const reply = await chat('alan', 'How often are gloves changed?')
        if (text === '' && reply.statusCode === 503) continue
        const answer = ok(reply)
        assert.deepEqual([answer.answer, answer.citations, answer.grounded], [nothing, [], false], text)
        assert.equal((await lastCall()).status, 'declined')
      }
    })

    it('asks no model where nothing was found', async () => {
      const answer = ok(await chat('alan', 'xylophone quokka?'))
      assert.deepEqual([answer.answer, answer.grounded], [nothing, false])
      assert.equal(model.requests.length, 0)
      const { status, tokens } = await lastCall()
      assert.deepEqual([status, tokens], ['declined', '0'])
    })

    it('reads those documents alone that it is given', async () => {
      const other = await told(world).effective({
        title: 'Glove boxes',
        pages: ['Gloves of glove boxes are tested weekly.'],
      })
      model.answer(() => `Weekly [${numberOf('tested weekly')}].`)
      ok(await chat('alan', 'When are gloves tested?', [other.id]))
      assert.doesNotMatch(model.requests.at(-1)!.prompt, /every two hours/)
    })

    // proves: SRCH-03, SVC-01
    it('never sends what the caller may not read: drafts of others, another company', async () => {
      await told(world).draft({
        title: 'Gloves to come',
        by: 'anna',
        pages: ['Gloves are changed hourly from next year on: draft giraffe.'],
      })
      for (const by of ['alan', 'ada', 'quinn']) ok(await chat(by, 'How often are gloves changed?'))
      const sent = (by: number) => model.requests[by]!.prompt
      assert.doesNotMatch(sent(0), /giraffe|zebra/)
      assert.doesNotMatch(sent(1) + sent(2), /zebra/)
      // People who read drafts still get answers from effective documents only.
      assert.doesNotMatch(sent(1) + sent(2), /giraffe/)
    })

    it('takes a document that the caller may not read for one that is not there', async () => {
      const theirs = await told(world).ofRival({ title: 'Of rival', pages: ['Secret okapi.'] })
      const draft = await told(world).draft({ title: 'Draft', by: 'anna', pages: ['Draft okapi.'] })
      for (const id of [theirs.id, draft.id, 999_999_999]) {
        const reply = await chat('alan', 'okapi?', [id])
        assert.deepEqual([reply.statusCode, reply.json().detail], [404, 'Document not found'])
      }
      const several = await chat('alan', 'okapi?', [gowning.id, draft.id])
      assert.deepEqual([several.statusCode, several.json().detail], [404, `Documents not found: ${draft.id}`])
      assert.equal(model.requests.length, 0)
    })

    // proves: ROLE-01
    it('reads nothing for who may read no documents', async () => {
      const { id } = world.people.anna!
      const permit = (denied: string[]) => world.as('ada').put(`/api/users/${id}/permissions`, { granted: [], denied })
      ok(await permit(['documents.read']))
      assert.equal(ok(await chat('anna', 'How often are gloves changed?')).grounded, false)
      assert.equal((await chat('anna', 'How often are gloves changed?', [gowning.id])).statusCode, 403)
      const examined = { document_id: gowning.id, instructions: 'gloves' }
      assert.equal((await world.as('anna').post('/api/ai/analyze', examined)).statusCode, 403)
      assert.equal(model.requests.length, 0)
      ok(await permit([]))
    })

    // proves: TRN-04
    it('tells nothing of a document that is for those who are trained on it', async () => {
      const gates = gatedDocuments(world)
      const type = await gates.type({ training_gate: 'before_access' })
      const kept = await told(world).draft({
        title: 'Kept back',
        type: type.name,
        pages: ['Gloves: the secret numbat interval.'],
      })
      await gates.release(kept.id)
      ok(await chat('anna', 'What is the numbat interval of gloves?'))
      assert.ok(model.requests.every(({ prompt }) => !prompt.includes('numbat interval.')))
      const named = await chat('anna', 'numbat?', [kept.id])
      assert.equal(named.statusCode, 403)
      assert.deepEqual(
        [named.json().code, named.json().params],
        ['assistant_document_not_trained', { numbers: [kept.number] }],
      )
      const examined = await world.as('anna').post('/api/ai/analyze', { document_id: kept.id, instructions: 'numbat' })
      assert.equal(examined.statusCode, 403)
      await gates.assign(kept.id, ['anna'])
      model.answer(() => `The numbat interval [${numberOf('numbat interval')}].`)
      assert.equal(ok(await chat('anna', 'What is the numbat interval?', [kept.id])).grounded, true)
    })
  })

  describe('asked to write (proves: AI-02)', () => {
    const generate = (by: string, body: object) =>
      world
        .as(by)
        .post('/api/ai/generate', { prompt: 'A procedure for changing gloves', document_type: 'SOP', ...body })
    const documents = async () =>
      Number((await world.rows<{ count: string }>('select count(*) from documents'))[0]!.count)

    it('answers a text, and makes no document of it', async () => {
      const before = await documents()
      model.answer(
        () =>
          `# Gloves\n\nGloves are changed every two hours [${numberOf('every two hours')}]. By whom: [to be completed]`,
      )
      const made = ok(await generate('alan', {}))
      assert.match(made.answer, /^# Gloves\n\n.*\[to be completed\]$/)
      assert.deepEqual([made.grounded, made.document], [true, null])
      assert.equal(await documents(), before)
    })

    it('makes a draft of it where that is asked for, whose audit entry says who wrote it', async () => {
      model.answer(() => `# Gloves\n\nGloves are changed every two hours [${numberOf('every two hours')}].`)
      const made = ok(await generate('alan', { create_document: true, title: 'Gloves', document_type: 'sop' }))
      const { document } = made
      assert.match(document.number, /^SOP-\d{4}$/)
      assert.deepEqual([document.title, document.version, document.status], ['Gloves', '1.0', 'draft'])
      const [entry] = await world.rows<{ changes: Record<string, { to: unknown }> }>(
        `select changes from audit_entries where action = 'document.created' and resource_id = $1`,
        [document.id],
      )
      assert.deepEqual([entry!.changes.written_by!.to, entry!.changes.model!.to], ['assistant', 'test-model'])
      const file = await world.as('alan').get(`/api/documents/${document.id}/download`)
      assert.equal(file.headers['content-type'], 'application/pdf')
      assert.ok(file.rawPayload.includes('content.md'))
    })

    it('says that no document supports what it writes of its own', async () => {
      model.answer('# Zebras\n\nNothing of this is in a document.')
      const made = ok(await generate('alan', { prompt: 'xylophone quokka' }))
      assert.deepEqual([made.grounded, made.citations], [false, []])
      assert.match(made.answer, /^# Zebras/)
    })

    it('refuses before anything is asked: without a title, the permission, a type', async () => {
      const refusals = [
        [await generate('alan', { create_document: true }), 422, /assistant_title_required/],
        [
          await generate('alan', { create_document: true, title: 'x', document_type: 'Poem' }),
          422,
          /assistant_document_type_unknown/,
        ],
      ] as const
      for (const [reply, status, words] of refusals) {
        assert.equal(reply.statusCode, status, reply.body)
        assert.match(reply.body, words)
      }
      ok(
        await world
          .as('ada')
          .put(`/api/users/${world.people.anna!.id}/permissions`, { granted: [], denied: ['documents.create'] }),
      )
      const denied = await generate('anna', { create_document: true, title: 'x' })
      assert.equal(denied.statusCode, 403)
      ok(await world.as('ada').put(`/api/users/${world.people.anna!.id}/permissions`, { granted: [], denied: [] }))
      assert.equal(model.requests.length, 0)
    })

    it('makes no document of a text that was cut', async () => {
      const before = await documents()
      model.answer(() => ({ text: '# Gloves\n\nGloves are', finish_reason: 'length' }))
      const reply = await generate('alan', { create_document: true, title: 'Gloves' })
      assert.deepEqual([reply.statusCode, await documents()], [409, before], reply.body)
      assert.equal(ok(await generate('alan', {})).is_cut, true)
    })
  })

  describe('asked to examine a document (proves: AI-03)', () => {
    const analyze = (by: string, document_id: number, instructions: string) =>
      world.as(by).post('/api/ai/analyze', { document_id, instructions })

    it('reads all of it, in its order, and cites it', async () => {
      model.answer(() => `Gloves are changed every two hours [${numberOf('every two hours')}].`)
      const found = ok(await analyze('alan', gowning.id, 'List all intervals'))
      assert.deepEqual([found.grounded, found.left_out, found.citations.length], [true, null, 1])
      const { prompt } = model.requests.at(-1)!
      assert.ok(prompt.indexOf('everybody who enters') < prompt.indexOf('every two hours'))
    })

    it('reads of a long one what the instructions are about, and says what it left out', async () => {
      const pages = Array.from(
        { length: 60 },
        (_, page) =>
          `${page === 47 ? 'The autoclave is validated yearly. ' : ''}${`Paragraph ${page} is about nothing. `.repeat(20)}`,
      )
      const long = await told(world).effective({ title: 'A long procedure', pages })
      model.answer(() => `The autoclave is validated yearly [${numberOf('autoclave is validated')}].`)
      const found = ok(await analyze('alan', long.id, 'When is the autoclave validated?'))
      assert.equal(found.citations[0].page, 48)
      assert.match(found.left_out, /^\d+ of the 60 pieces of its text were left out/)
      const { prompt, system } = model.requests.at(-1)!
      assert.ok((prompt.length + system.length) / 4 < 6000)
    })

    it('says why where there is no text', async () => {
      const fresh = await papers(world).effective({ title: 'Not read yet' })
      const reply = await analyze('alan', fresh.id, 'Anything')
      assert.equal(reply.statusCode, 409)
      assert.equal(reply.json().code, 'assistant_text_not_ready')
      assert.equal((await analyze('alan', 999_999_999, 'x')).statusCode, 404)
      assert.equal(model.requests.length, 0)
    })
  })

  describe('leaves a trail', () => {
    // proves: AUD-01
    it('of who asked what model by which prompt with which versions, how long it took and what: never the words', async () => {
      model.answer(() => `Gloves are changed every two hours [${numberOf('every two hours')}]. Wombat.`)
      ok(await chat('alan', 'How often are gloves changed, platypus?', [gowning.id]))
      const call = await lastCall()
      const { id, tokens, input_tokens, output_tokens, duration_ms, created_at, finished_at, ...rest } = call
      assert.equal(Number(tokens), Number(input_tokens) + Number(output_tokens))
      assert.ok(Number(duration_ms) >= 0 && created_at && finished_at)
      assert.match(String(rest.prompt_sha256) + rest.answer_sha256, /^[0-9a-f]{128}$/)
      assert.deepEqual(
        [rest.kind, rest.status, rest.provider, rest.model, rest.prompt_version, rest.version_ids, rest.error],
        ['chat', 'answered', 'openai-compatible', 'test-model', 'chat-1', [String(gowning.version_id)], null],
      )
      const trail = await entries(Number(id))
      assert.deepEqual(
        trail.map(({ action, outcome }) => [action, outcome]),
        [
          ['ai_call.started', 'success'],
          ['ai_call.answered', 'success'],
        ],
      )
      const [started, answered] = trail
      assert.deepEqual(started!.changes.versions!.to, [`${gowning.number} 1.0`])
      assert.equal(started!.changes.prompt_version!.to, 'chat-1')
      assert.equal(Number(answered!.changes.input_tokens!.to), Number(input_tokens))
      const all = JSON.stringify([trail, call, world.lines])
      for (const word of ['platypus', 'Wombat', 'every two hours']) assert.ok(!all.includes(word), word)
    })

    it('also where the model fails, in our words, and the answer is a 503 that says so', async () => {
      model.misbehave((_request, response) => {
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: { message: 'your prompt: How often' } }))
      })
      const reply = await chat('alan', 'How often are gloves changed?')
      assert.equal(reply.statusCode, 503)
      assert.deepEqual(Object.keys(reply.json()), ['detail', 'code', 'params', 'request_id'])
      assert.equal(reply.json().code, 'assistant_request_rejected')
      const { id, status, error, tokens } = await lastCall()
      assert.deepEqual([status, tokens], ['failed', '0'])
      assert.match(String(error), /status 400/)
      const [, failed] = await entries(Number(id))
      assert.deepEqual([failed!.action, failed!.outcome, failed!.reason], ['ai_call.failed', 'failed', error])
      assert.ok(!JSON.stringify(world.lines).includes('How often'))
    })
  })
})

// proves: SVC-07
describe('without a model', () => {
  it('chat, generate and analyze say that the assistant is switched off, and leave no call', async () => {
    const world = await openWorld()
    try {
      for (const [url, body] of [
        ['chat', { message: 'x' }],
        ['generate', { prompt: 'x', document_type: 'SOP' }],
        ['analyze', { document_id: 1, instructions: 'x' }],
      ] as const) {
        const reply = await world.as('alan').post(`/api/ai/${url}`, body)
        assert.equal(reply.statusCode, 503)
        assert.equal(reply.json().code, 'assistant_not_configured')
      }
      assert.deepEqual(await world.rows('select id from ai_calls'), [])
    } finally {
      await world.close()
    }
  })
})
