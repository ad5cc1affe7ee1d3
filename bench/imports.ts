// How long an import takes from its files to the comparison of what was loaded.
//
//   node bench/imports.ts [--documents 10000] [--file-bytes 20000]
//
// Each document has two versions with a text of their own and an approval of before. The steps go over HTTP, and the jobs run as those of the service do.
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { csv, migrationsOf } from '#test/builders/migrations.ts'
import { zipOf } from '#test/faults/hostile-files.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld } from '#test/world/world.ts'
import { loadNow } from './questions.ts'

const { values: given } = parseArgs({
  options: { documents: { type: 'string', default: '10000' }, 'file-bytes': { type: 'string', default: '20000' } },
})
const documents = Number(given.documents)
const file_bytes = Number(given['file-bytes'])
const of_a_zip = 500

const numberOf = (n: number) => `OLD-${String(n).padStart(6, '0')}`
const pathOf = (n: number, version: number) => `${numberOf(n)}/${version}.txt`
const numbers = Array.from({ length: documents }, (_, n) => n + 1)
const sheets: Record<string, Buffer> = {
  'documents.csv': csv('number;title;type;owner', ...numbers.map(n => `${numberOf(n)};Procedure ${n};SOP;alan`)),
  'versions.csv': csv(
    'number;version;state;file;effective_date;ended_on',
    ...numbers.flatMap(n => [
      `${numberOf(n)};1.0;superseded;${pathOf(n, 1)};2021-03-01;2023-05-01`,
      `${numberOf(n)};2.0;effective;${pathOf(n, 2)};2023-05-01;`,
    ]),
  ),
  'approvals.csv': csv(
    'number;version;person;role;approved_on;meaning',
    ...numbers.map(n => `${numberOf(n)};2.0;Ida Vogt;Head of QA;2023-04-28;Approved`),
  ),
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  const imports = migrationsOf(world)
  const times: [string, number][] = []
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const begun = performance.now()
    const done = await work()
    const seconds = (performance.now() - begun) / 1000
    times.push([what, seconds])
    console.log(`${what.padEnd(12)} ${seconds.toFixed(0).padStart(6)} s`)
    return done
  }
  const accepted = (reply: { statusCode: number; body: string }) => {
    if (reply.statusCode >= 300) throw new Error(`${reply.statusCode} ${reply.body}`)
  }
  const id = await imports.begin()
  await timed('lists', async () => {
    for (const [name, bytes] of Object.entries(sheets)) accepted(await imports.manifest(id, name, bytes))
  })
  await timed('files', async () => {
    for (let from = 0; from < documents; from += of_a_zip) {
      const files = numbers.slice(from, from + of_a_zip).flatMap(n =>
        [1, 2].map(version => ({
          name: pathOf(n, version),
          content: `Procedure ${n} ${randomBytes(file_bytes / 2).toString('hex')}`,
        })),
      )
      accepted(await imports.files(id, zipOf(files), `${from}.zip`))
    }
  })
  await timed('check', () => imports.step(id, 'check'))
  await timed('rehearsal', () => imports.step(id, 'rehearse'))
  await timed('load', async () => {
    accepted(await imports.accept(id))
    // The texts of the files are read behind it, which nobody waits for.
    world.work().catch(() => {})
    while (['accepted', 'loading', 'reconciling'].includes((await imports.read(id)).status)) await setTimeout(200)
  })
  const { status, counts } = await imports.read(id)
  const whole = times.reduce((sum, [, seconds]) => sum + seconds, 0)
  console.log(`${status}: ${JSON.stringify(counts)}`)
  console.log(
    `${documents} documents in ${(whole / 60).toFixed(1)} minutes, ${(documents / whole).toFixed(1)} a second; ${loadNow()}`,
  )
} finally {
  await world.close()
  await server.close()
  // Texts may still be read.
  process.exit()
}
