// The templates that a tenant begins with, each made into a text and into pages.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Flow } from '#platform/markdown/flow.ts'
import { lexMarkdown } from '#platform/markdown/lex.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { openWorld, type World } from '#test/world/world.ts'
import type { Variable } from './schema.ts'
import { readStarter } from './starter.ts'

let world: World
let paper: Json
before(async () => {
  world = await openWorld()
  paper = ok(
    await world
      .as('alan')
      .upload('/api/documents/upload', { title: 'Rules', document_type: await world.typeId('SOP') }),
  )
})
after(() => world.close())

const sampleOf = ({ name, type, options }: Variable) =>
  ({
    text: `One line about ${name}`,
    long_text: `First paragraph about ${name}.\nIts second line.\n\nSecond paragraph.`,
    number: '3',
    date: '2026-03-01',
    user: String(world.people.petra!.id),
    document: String(paper.id),
    select: options?.[0] ?? '',
  })[type]

const headingsOf = (flow: readonly Flow[]) => flow.flatMap(part => (part.kind === 'heading' ? [part] : []))
const wordsOf = ({ runs }: { runs: { text: string }[] }) => runs.map(({ text }) => text).join('')

/** Headings without content before the next heading of the same or a higher level. */
function emptySections(flow: readonly Flow[]): string[] {
  return flow.flatMap((part, at) => {
    const next = flow[at + 1]
    if (part.kind !== 'heading') return []
    const isEmpty = !next || (next.kind === 'heading' && next.level <= part.level)
    return isEmpty ? [wordsOf(part)] : []
  })
}

describe('each template of the starter set (proves: TMPL-01)', () => {
  for (const { name, document_type } of readStarter()) {
    it(`${name}: with all of its values and with the fewest, no section is empty and nothing is left to fill in`, async () => {
      const { items } = ok(await world.as('alan').get(`/api/templates/?page_size=100`))
      const { id } = items.find((each: Json) => each.name === name)
      const template = ok(await world.as('alan').get(`/api/templates/${id}`))
      const variables = template.variables as Variable[]
      assert.ok(variables.some(({ required }) => required) && variables.every(({ label }) => label.length > 1))
      const pick = (chosen: Variable[]) => Object.fromEntries(chosen.map(each => [each.name, sampleOf(each)]))
      const fewest = variables.filter(each => each.required && each.default === null)
      for (const chosen of [variables, fewest]) {
        const body = { template_id: id, title: `A ${name}`, variables: pick(chosen) }
        const { content } = ok(await world.as('alan').post('/api/templates/use', body))
        assert.doesNotMatch(content, /\{\{|\}\}|undefined|\[object/)
        const flow = lexMarkdown(content)
        assert.deepEqual(emptySections(flow), [])
        const headings = headingsOf(flow).map(wordsOf)
        assert.equal(headings[0], `A ${name}`)
        assert.ok(headings.length >= 8, headings.join())
        const numbers = headings.flatMap(each => /^\d+(?= )/.exec(each)?.map(Number) ?? [])
        assert.deepEqual(
          numbers,
          numbers.map((_, at) => at + 1),
          'its sections count up',
        )
        const reply = await world.as('alan').post('/api/templates/use', { ...body, format: 'pdf' })
        const pages = await pagesOf(reply.rawPayload)
        for (const [at, page] of pages.entries()) {
          assert.match(page, new RegExp(`${name}, version 1`))
          assert.match(page, new RegExp(`Page ${at + 1} of ${pages.length}`))
        }
        const text = pages.join(' ').replace(/\s+/g, '')
        for (const each of headings) assert.ok(text.includes(each.replace(/\s+/g, '')), each)
        for (const each of chosen.filter(({ type }) => type === 'text'))
          assert.ok(text.includes(sampleOf(each).replace(/\s+/g, '')), each.name)
      }
      const missing = await world.as('alan').post('/api/templates/use', { template_id: id })
      assert.deepEqual(
        missing.json().detail.map(({ loc }: Json) => loc.at(-1)),
        fewest.map(each => each.name),
      )
      assert.equal(template.document_type.name, document_type)
    })
  }
})
