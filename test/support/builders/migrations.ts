// Imports of small companies, for tests that look at what becomes of them.
import { zipOf } from '../faults/hostile-files.ts'
import { password, pdf, type World } from '../world/world.ts'
import { behindTheApi, type Json, ok } from './documents.ts'

export const csv = (...lines: string[]) => Buffer.from(`${lines.join('\r\n')}\r\n`)

export const filesOf = (...paths: string[]) =>
  zipOf(paths.map(path => ({ name: path, content: pdf(path).toString('latin1') })))

export const groups = (...names: string[]) =>
  csv('name;type;description', ...names.map(each => `${each};department;${each}`))
export const documents = (...numbers: string[]) =>
  csv('number;title;type;owner', ...numbers.map(each => `${each};Cleaning of ${each};SOP;alan`))
export const versions = (...numbers: string[]) =>
  csv(
    'number;version;state;file;effective_date;ended_on',
    ...numbers.flatMap(each => [
      `${each};1.0;superseded;${each}/1.0.pdf;2021-03-01;2023-05-01`,
      `${each};2.0;effective;${each}/2.0.pdf;2023-05-01;`,
    ]),
  )
/** The two files of every document are the same two, because a process reads the text of each file that is not known yet. */
export const filesFor = (...numbers: string[]) =>
  zipOf(
    numbers.flatMap(each =>
      ['1.0.pdf', '2.0.pdf'].map(name => ({ name: `${each}/${name}`, content: pdf(name).toString('latin1') })),
    ),
  )

/** What a person does with imports, by the API. */
export function migrationsOf(world: World, { by = 'ada', judge = 'quinn' } = {}) {
  const url = (id: number, rest = '') => `/api/migrations/${id}${rest}`
  const read = async (id: number, who = by): Promise<Json> => ok(await world.as(who).get(url(id)))
  const begin = async (settings: object = {}): Promise<number> =>
    ok(
      await world
        .as(by)
        .post('/api/migrations/', { title: 'Documents of the file share', source_system: 'File share', settings }),
    ).id
  const manifest = (id: number, name: string, bytes: Buffer, fields: Record<string, string> = {}) =>
    world.as(by).upload(url(id, '/manifest'), fields, { name, bytes })
  const files = (id: number, bytes: Buffer, name = 'files.zip') =>
    world.as(by).upload(url(id, '/files'), {}, { name, bytes })
  const step = async (id: number, act: string, body?: object): Promise<Json> => {
    ok(await world.as(by).post(url(id, `/${act}`), body))
    await world.work()
    return read(id)
  }
  const rows = async (id: number, query = ''): Promise<Json[]> =>
    ok(await world.as(by).get(url(id, `/rows?page_size=100${query}`))).items
  const accept = async (id: number, more: object = {}) => {
    const { report_sha256 } = await read(id)
    return world.as(judge).post(url(id, '/accept'), { report_sha256, password, ...more })
  }
  /** With these documents, each in two versions, checked and rehearsed. */
  const rehearsed = async (...numbers: string[]): Promise<number> => {
    const id = await begin()
    ok(await manifest(id, 'documents.csv', documents(...numbers)))
    ok(await manifest(id, 'versions.csv', versions(...numbers)))
    ok(await files(id, filesFor(...numbers)))
    await step(id, 'check')
    await step(id, 'rehearse')
    return id
  }
  /** With one group, which needs no file. */
  const ofGroup = async (name: string): Promise<number> => {
    const id = await begin()
    ok(await manifest(id, 'groups.csv', groups(name)))
    return id
  }
  return { url, ofGroup, read, begin, manifest, files, step, rows, accept, rehearsed }
}

/** A batch of one group, which is not checked yet. */
export async function addMigration(world: World, { word, by }: { word: string; by: string }) {
  const imports = migrationsOf(world, { by })
  const id: number = ok(
    await world.as(by).post('/api/migrations/', { title: `${word} import`, source_system: `${word} system` }),
  ).id
  ok(await imports.manifest(id, `${word}.csv`, groups(`${word} group of before`), { sheet: 'groups' }))
  ok(await imports.files(id, filesOf(`${word}/scan.pdf`)))
  const [row] = await imports.rows(id)
  return { migration_batch: id, migration_batch_row: row!.id as number }
}

/** An approval of before with its scan, put behind the API: a list shows it only once its batch is accepted. */
export async function addHistoricalApproval(
  world: World,
  { word, by, document }: { word: string; by: string; document: number },
) {
  const imports = migrationsOf(world, { by })
  const id = await imports.begin()
  ok(await imports.files(id, filesOf(`${word}/signed page.pdf`)))
  await behindTheApi(
    world,
    'historical_approvals',
    `insert into historical_approvals (tenant_id, document_id, version_id, migration_batch_id, line, person_name, person_role, meaning, evidence, evidence_file_id)
     select d.tenant_id, d.id, d.latest_version_id, $2, 2, $3, $4, $4, $4, f.id
     from documents d join migration_files f on f.batch_id = $2 where d.id = $1`,
    [document, id, `${word} Weiss`, `${word} as recorded`],
  )
  const [row] = await world.rows<{ id: string }>('select id from historical_approvals where migration_batch_id = $1', [
    id,
  ])
  return { document_approval: Number(row!.id) }
}
