// How long who works with deviations waits, where a tenant has many: lists, one of them, similar ones, a timeline.
//
//   node bench/deviations.ts [--deviations 100000] [--rounds 100]
//
// Each question goes over HTTP to the whole service, one at a time, and in turn with all others; what is printed are the times
// until the whole answer is there. The load of the machine is printed before and after.
import { parseArgs } from 'node:util'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { fillDeviations } from './fill.ts'
import { timeQuestions } from './questions.ts'
import { descriptions } from './severity-descriptions.ts'

const { values: given } = parseArgs({
  options: { deviations: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '100' } },
})
const deviations = Number(given.deviations)
const rounds = Number(given.rounds)

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  const begun = performance.now()
  await fillDeviations(world, deviations)
  console.log(`${deviations} deviations in the tenant, made in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  await measure(world, deviations)
} finally {
  await world.close()
  await server.close()
}

/** The requests to measure, each with as many different answers as can be told apart. */
function questions(world: World, count: number): Record<string, (round: number) => string> {
  const id = (round: number) => 10 * (1 + Math.floor(((round + 0.5) * count) / (10 * (rounds + 1))))
  const texts = descriptions.map(({ text }) => encodeURIComponent(text))
  const deep = Math.floor((count * 0.8) / 20)
  return {
    'list: the first page': () => '/',
    'list: page_size=100': () => '/?page_size=100',
    'list: status=open': () => '/?status=open',
    'list: severity=critical, category': () => '/?severity=critical&category=equipment',
    'list: assigned_to': () => `/?assigned_to=${world.people.quinn!.id}`,
    'list: overdue': () => '/?overdue=true',
    'list: a year of dates': () => '/?date_from=2024-01-01&date_to=2024-12-31',
    'list: sort=due_date:desc': () => '/?sort=due_date:desc',
    'list: sort=severity:asc': () => '/?sort=severity:asc',
    [`list: page ${deep}`]: () => `/?page=${deep}`,
    'list: q=autoclave (1 in 70)': () => '/?q=autoclave',
    'list: q=glass particles': () => '/?q=glass+particles',
    'list: q=batch (all)': () => '/?q=batch',
    'list: q is a number': round => `/?q=${String(id(round)).padStart(6, '0')}`,
    details: round => `/${id(round)}`,
    'similar: q, three words': () => '/similar?q=glass+particles+vials',
    'similar: q, a description': round => `/similar?q=${texts[round % texts.length]}`,
    'similar: q, misspelled': () => '/similar?q=autoclve+steriliation',
    'similar: q, a word of all': () => '/similar?q=batch',
    'similar: deviation_id': round => `/similar?deviation_id=${id(round)}`,
    'similar: deviation_id, critical ones': round => `/similar?deviation_id=${id(round)}&severity=critical`,
    timeline: round => `/${id(round)}/timeline`,
  }
}

function measure(world: World, count: number) {
  return timeQuestions(world, { by: 'quinn', below: '/api/deviations', questions: questions(world, count), rounds })
}
