// Every PDF of the service as a reader of German gets it: the names and sentences on it are German, and what was recorded stays.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileTypesOf } from '#action/file.ts'
import { headings as german } from '#kernel/labels.de.ts'
import { headings as english } from '#kernel/labels.ts'
import { assignments } from '#test/builders/assignments.ts'
import { capas } from '#test/builders/capas.ts'
import { copies } from '#test/builders/copies.ts'
import { deviations } from '#test/builders/deviations.ts'
import { papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { englishIn, readsGerman } from '#test/builders/languages.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { accepted } from '#test/builders/samples.ts'
import { codeIn, openMailWorld, takeLetters } from '#test/world/mail-world.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { printed } from '../tools/docs/catalogues.ts'

/** Words that stand in what was recorded, such as the name of a role, the title of a type or a file. */
const recorded = ['User', 'Document', 'Version', 'To', 'From', 'Name', 'Type', 'Print', 'Time']
const names = Object.entries(english)
  .filter(([name, text]) => german[name as keyof typeof german] !== text && !recorded.includes(text))
  .map(([, text]) => text)
const sentences = printed
  .map(({ sentence }) => sentence)
  .filter(
    // The uploaded file of the test says this too.
    sentence => !/[{}]/.test(sentence) && /\w \w/.test(sentence) && sentence !== 'The original',
  )

const englishOn = (text: string) => [
  ...names.filter(name =>
    new RegExp(`(?<![\\p{L}._-])${name.replace(/[()]/g, '\\$&')}(?![\\p{L}._-])`, 'u').test(text),
  ),
  ...sentences.filter(sentence => text.includes(sentence)),
  ...(text.match(/Page \d+ of \d+/) ?? []),
]
const ofDay = /(?<![\w.-])20\d\d-\d\d-\d\d/

describe('what is printed for a reader of German', () => {
  let world: World
  let document: number
  let deviation: number
  let capa: number
  let assignment: number
  let program: number
  let copy: number
  before(async () => {
    world = await openWorld()
    document = (await papers(world).effective({ title: 'Ankleiden' })).id
    const { report, put } = deviations(world)
    deviation = (await report({ title: 'Ventil undicht', description: 'Wasser unter V-12' })).id
    await accepted(put('petra', deviation, { status: 'under_investigation', assigned_to: world.people.petra!.id }))
    capa = (await capas(world).draft({ title: 'Dichtungen', description: 'Andere Dichtungen' })).id
    const training = assignments(world)
    program = (await training.program({ title: 'Ankleiden' })).id
    await training.assign({ training_id: program, user_ids: [world.people.uma!.id] })
    await training.complete('uma', program)
    const record = (await world.as('uma').get(`/api/training/records/${world.people.uma!.id}`)).json()
    assignment = record.items[0].assignment_id
    const issued = await copies(world).document()
    copy = (await copies(world).issue(issued.id)).id
    const { revision } = (await world.as('ada').get('/api/settings/')).json()
    await accepted(world.as('ada').put('/api/settings/', { language: 'de', time_zone: 'Europe/Berlin', revision }))
  })
  after(() => world.close())

  /** For one reader, who asks for German in a company of either language. */
  const forReader = () => ({
    'GET /api/deviations/:id/record.pdf': `/api/deviations/${deviation}/record.pdf`,
    'GET /api/capa/:id/record.pdf': `/api/capa/${capa}/record.pdf`,
    'GET /api/training/assignments/:id/record.pdf': `/api/training/assignments/${assignment}/record.pdf`,
    'GET /api/training/records/:user_id': `/api/training/records/${world.people.uma!.id}?format=pdf`,
    'GET /api/training/matrix': `/api/training/matrix?program_ids=${program}&format=pdf`,
    'GET /api/audit/export': '/api/audit/export?format=pdf&action=document.state_changed&action=document.delegated',
  })

  const textOf = async (bytes: Buffer) => (await pagesOf(bytes)).join(' ')
  const requireGerman = (name: string, text: string) => {
    assert.ok(text.length > 100, `${name}: ${text}`)
    assert.deepEqual(englishOn(text), [], `${name}: ${text.slice(0, 3000)}`)
  }

  it('records, training and the audit trail speak the language that the request asks for', async () => {
    for (const [name, url] of Object.entries(forReader())) {
      const reply = await world.as('otto').get(url, readsGerman)
      assert.equal(reply.statusCode, 200, `${name}: ${reply.body}`)
      const text = await textOf(reply.rawPayload)
      requireGerman(name, text)
      // The values of an entry stay as they were recorded.
      if (!name.includes('audit')) assert.doesNotMatch(text, ofDay, name)
      const inEnglish = await textOf((await world.as('otto').get(url, { 'accept-language': 'en' })).rawPayload)
      assert.ok(englishOn(inEnglish).length > 0, `${name} in English: ${inEnglish.slice(0, 500)}`)
    }
  })

  it('without a language in the request, the own preference counts, and then the company', async () => {
    const url = `/api/deviations/${deviation}/record.pdf`
    const read = async () => textOf((await world.as('otto').get(url)).rawPayload)
    requireGerman('the company', await read())
    await accepted(world.as('otto').put('/api/auth/preferences', { language: 'en' }))
    assert.ok(englishOn(await read()).length > 0)
  })

  it('dossiers, signed and controlled copies speak the language of the company, whoever asks in which', async () => {
    const inEnglish = { 'accept-language': 'en' }
    const signed = await world.as('alan').get(`/api/documents/${document}/download?rendition=signed`, inEnglish)
    requireGerman('signed copy', await textOf(signed.rawPayload))
    const print = await world.as('petra').post(`/api/controlled-copies/${copy}/print`, {}, inEnglish)
    assert.equal(print.statusCode, 200, print.body)
    requireGerman('controlled copy', await textOf(print.rawPayload))
    for (const url of [
      `/api/documents/${document}/dossier`,
      `/api/deviations/${deviation}/dossier`,
      `/api/capa/${capa}/dossier`,
      `/api/training/records/${world.people.uma!.id}/dossier`,
    ]) {
      const { files } = await readDossier(world, url)
      requireGerman(url, await textOf(files.get('dossier.pdf')!))
    }
  })

  it('leaves out no route that answers a PDF', () => {
    const known = [
      ...Object.keys(forReader()),
      // Of the company's language, or a document of its own words.
      ...['GET /api/documents/:id/download', 'POST /api/controlled-copies/:id/print', 'POST /api/templates/use'],
    ]
    const found = world.app.routes
      .filter(
        ({ action }) => 'response' in action && fileTypesOf(action.response).some(type => /pdf/.test(String(type))),
      )
      .map(({ method, url }) => `${method} ${url}`)
    assert.deepEqual(
      found.filter(route => !known.includes(route)),
      [],
    )
  })
})

describe('what is mailed to a reader of German', () => {
  it('is German as a whole: subject, text, HTML and days, also for whoever has chosen no language yet', async () => {
    const { world, smtp } = await openMailWorld()
    try {
      await accepted(world.as('ada').put('/api/settings/', { language: 'de' }))
      await accepted(
        world.as('ada').post('/api/users/invite', {
          ...{ username: 'neu', email: 'neu@example.com', full_name: 'Nele Neu' },
        }),
      )
      await accepted(
        world.server.inject({ method: 'POST', url: '/api/auth/forgot-password', payload: { username: 'uma' } }),
      )
      await world.app.services.loginLimits.linkWork.settled()
      await accepted(world.as('ada').post(`/api/users/${world.people.anna!.id}/reset-password`, {}))
      await accepted(world.as('ada').post('/api/set-up/test-mail'))
      const { id } = await papers(world).upload({ title: 'Ankleiden' })
      await papers(world).move('alan', id, 'submit')
      const letters = await takeLetters({ world, smtp })
      assert.ok(letters.length >= 5, letters.map(({ subject }) => subject).join('; '))
      assert.ok(letters.some(({ to, text }) => to === 'neu@example.com' && codeIn(text) !== undefined))
      for (const { to, subject, text, html } of letters) {
        assert.match(html, /<html lang="de"/, `${to}: ${subject}`)
        // A code is made by chance, and an address is no sentence.
        const said = text.replaceAll(/\S*[@/]\S*|\b\d+\.\d+\.\S+|POST \S+|token/g, ' ')
        for (const each of [subject, ...said.split('\n')]) assert.equal(englishIn(each), undefined, `${to}: ${each}`)
        assert.doesNotMatch(said, ofDay, `${to}: ${subject}`)
        for (const line of text.split('\n').filter(each => /^[\p{L} .,:;]+$/u.test(each)))
          assert.ok(html.includes(line.trim()), `${to} has in HTML: ${line}`)
      }
    } finally {
      await world.close()
      await smtp.close()
    }
  })
})
