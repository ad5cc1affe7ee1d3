// The rules of the house, checked on the files themselves: what may import what, who writes which table, who reads the environment.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { permissions } from '#kernel/catalogue.ts'

/** Lower layers first; each may use those before it. A layer is a folder of src/, or a file of its own. */
const layers = ['kernel', 'platform', 'action', 'http', 'modules', 'german', 'app', 'commands', 'main']

/** Which module changes a table. Any may read it, where it joins what it shows. */
const owners: Record<string, string> = {
  access_review_accounts: 'access-reviews',
  access_reviews: 'access-reviews',
  ai_calls: 'ai-calls',
  api_keys: 'api-keys',
  assistant_settings: 'ai-calls',
  attachments: 'casework',
  audit_checkpoints: 'audit',
  audit_entries: 'audit',
  audit_keys: 'audit',
  audit_leaves: 'audit',
  audit_logs: 'audit',
  audit_pending: 'audit',
  audit_places: 'audit',
  audit_redactions: 'audit',
  audit_reviews: 'audit-reviews',
  audit_tiles: 'audit',
  audit_words: 'audit',
  background_jobs: 'jobs',
  capa_actions: 'capas',
  capa_documents: 'casework',
  capas: 'capas',
  chunk_bits: 'search',
  compliance_changes: 'training',
  compliance_counts: 'training',
  compliance_people: 'training',
  configuration_changes: 'configuration',
  content_template_versions: 'templates',
  content_templates: 'templates',
  controlled_copies: 'controlled-copies',
  controlled_copy_prints: 'controlled-copies',
  counters: 'documents',
  credentials: 'accounts',
  curricula: 'training',
  curriculum_groups: 'training',
  curriculum_programs: 'training',
  deputies: 'deputies',
  disposal_records: 'retention',
  disposals: 'retention',
  legal_holds: 'retention',
  deviation_capas: 'casework',
  deviation_deviations: 'casework',
  deviation_documents: 'casework',
  deviation_index: 'projections',
  deviation_vectors: 'similar',
  deviations: 'deviations',
  document_chunks: 'search',
  document_comment_mentions: 'documents',
  document_comments: 'documents',
  document_decisions: 'documents',
  document_delegations: 'documents',
  document_history: 'documents',
  document_index: 'projections',
  document_reviews: 'documents',
  document_texts: 'search',
  document_types: 'workflows',
  document_versions: 'documents',
  documents: 'documents',
  due_date_extensions: 'casework',
  effectiveness_reviews: 'capas',
  file_removals: 'file-removals',
  form_template_versions: 'forms',
  form_templates: 'forms',
  group_members: 'groups',
  groups: 'groups',
  idempotency_keys: 'jobs',
  identity_provider_mappings: 'identity-providers',
  identity_providers: 'identity-providers',
  imported_signing_keys: 'signatures',
  installation: 'installation',
  installation_number: 'installation',
  login_addresses: 'accounts',
  passkeys: 'passkeys',
  login_attempts: 'identity-providers',
  logout_tokens: 'identity-providers',
  password_links: 'accounts',
  mails: 'mail',
  backups: 'status',
  health_hours: 'status',
  notification_preferences: 'notifications',
  notifications: 'notifications',
  rate_limits: 'accounts',
  record_comments: 'casework',
  record_history: 'casework',
  roles: 'roles',
  sessions: 'sessions',
  setup_codes: 'set-up',
  signature_evidence: 'accounts',
  signature_voids: 'signatures',
  signatures: 'signatures',
  signing_challenges: 'accounts',
  signing_key_links: 'signatures',
  signing_keys: 'signatures',
  migration_batches: 'migrations-in',
  migration_files: 'migrations-in',
  migration_rows: 'migrations-in',
  tenant_exports: 'tenant-exports',
  tenants: 'accounts',
  sso_domains: 'identity-providers',
  historical_approvals: 'documents',
  identity_provider_keys: 'identity-providers',
  uploads: 'uploads',
  user_identities: 'identity-providers',
  user_preferences: 'accounts',
  stat_counts: 'projections',
  stat_records: 'projections',
  stat_zones: 'projections',
  storage_sweeps: 'storage',
  storage_use: 'projections',
  training_assignments: 'training',
  training_attempts: 'training',
  training_group_assignments: 'training',
  training_programs: 'training',
  training_quizzes: 'training',
  users: 'accounts',
  version_vectors: 'search',
  workflow_template_versions: 'workflows',
  workflow_templates: 'workflows',
}

/** Tables that no module changes: the database writes them by triggers or by its own functions. */
const keptByDatabase = ['audit_epochs', 'embedding_models']

/** Deliberate exceptions, each with its reason; one that no longer applies is a defect. */
const foreignWrites: Record<string, string> = {
  'src/commands/backup/tables.ts: backups':
    'the command alone knows that a backup is complete, and notes it as the owner of the table; the service only reads it',
  'src/commands/restore.ts: credentials':
    'a restore ends the sessions of all tenants in its own transaction, before the service runs on the database',
  'src/commands/restore.ts: login_attempts':
    'after a restore nobody goes on with a log-in that had begun at a provider when the backup was made',
  'src/commands/restore.ts: installation':
    'a copy becomes an installation of its own by the owner of the table: no statement of the service may do that',
  'src/commands/tenant-import/bring-in.ts: document_texts':
    'versions that come from another installation wait for their texts, as new ones do, in the transaction of the import',
  'src/commands/tenant-import/bring-in.ts: imported_signing_keys':
    'the owner of the tables says which keys a company came with: no statement of the service may do that',
  'src/modules/documents/core/version-queries.ts: document_texts':
    'a new version waits for its text from the moment that it is there; search extracts it',
  'src/platform/db/id-ranges.ts: installation_number':
    'the owner of the tables gives it, before the service runs on the database: no statement of the service may do that',
  'src/platform/db/numbers.ts: counters': 'each kind of record takes its numbers from the same series of statements',
  'src/platform/storage/quota.ts: storage_use':
    'whether a file still fits is decided by the count that it is added to, for each kind of record alike',
  'src/action/idempotency-queries.ts: idempotency_keys':
    'the runner claims a key in the transaction of the command, below every module; jobs removes the old ones',
  'src/modules/accounts/tenants/queries.ts: roles':
    "a new tenant's system roles are part of the tenant, made before anybody is in it",
}

/** The most files, without tests, of a folder that one takes in at a glance. */
const most_files = 20
/** Folders with more, and how many: these numbers may only fall. */
const largerFolders: Record<string, number> = { capas: 22, search: 26, workflows: 25 }

/** The environment is an argument everywhere else, so that a test passes its own. */
const readersOfEnvironment = ['src/main.ts']

type Files = ReadonlyMap<string, string>

/** Without comments, whose words are no code. Strings stay: SQL is in them. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[\s;{(,])\/\/.*$/gm, '$1')

const aliases: [RegExp, string][] = [
  [/^#(action|http)$/, 'src/$1/index.ts'],
  [/^#modules\/([^/]+)$/, 'src/modules/$1/index.ts'],
  [/^#test\//, 'test/support/'],
  [/^#/, 'src/'],
]

/** Every file of ours that a file names: import, export from, import(), and import for its effect. */
export function importsOf(file: string, text: string): string[] {
  const named = codeOf(text).matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)
  return [...named]
    .map(([, target]) => target!)
    .filter(target => /^[#.]/.test(target))
    .map(target => {
      if (target.startsWith('.')) return normalize(join(dirname(file), target))
      const [from, to] = aliases.find(([pattern]) => pattern.test(target))!
      return target.replace(from, to)
    })
}

const layerOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '') ?? ''
const moduleOf = (file: string) => /^src\/modules\/([^/]+)\//.exec(file)?.[1]
const isTest = (file: string) => file.endsWith('.test.ts')

function importDefects(files: Files): string[] {
  const defects: string[] = []
  for (const [file, text] of files) {
    if (!layers.includes(layerOf(file))) defects.push(`${file} is in no layer`)
    for (const target of importsOf(file, text)) {
      if (target.startsWith('test/')) {
        defects.push(`${file} imports ${target}: the program needs no test`)
        continue
      }
      if (!files.has(target)) defects.push(`${file} imports ${target}, which is not there`)
      if (layers.indexOf(layerOf(target)) > layers.indexOf(layerOf(file)))
        defects.push(`${file} imports ${target}: ${layerOf(target)} is above ${layerOf(file)}`)
      const module = moduleOf(target)
      const isCatalogue = file === 'src/german.ts' && target.endsWith('/messages.de.ts')
      if (module && module !== moduleOf(file) && !target.endsWith(`/${module}/index.ts`) && !isCatalogue)
        defects.push(`${file} imports ${target}: past the door of ${module}`)
    }
  }
  return defects
}

/** Places that need each other, as the way from one back to itself. `placeOf` is the place of a file; undefined where it has none. */
function cyclesOf(files: Files, placeOf: (file: string) => string | undefined): string[] {
  const needs = new Map<string, Set<string>>()
  for (const [file, text] of files) {
    const from = placeOf(file)
    if (!from) continue
    const targets = needs.get(from) ?? new Set()
    for (const target of importsOf(file, text)) {
      const to = placeOf(target)
      if (to && to !== from) targets.add(to)
    }
    needs.set(from, targets)
  }
  const cycles = new Set<string>()
  const walk = (way: string[]) => {
    for (const next of needs.get(way.at(-1)!) ?? []) {
      if (next === way[0]) cycles.add([...way, next].join(' -> '))
      // Each cycle is told once, from the first of its places by name.
      else if (!way.includes(next) && next > way[0]!) walk([...way, next])
    }
  }
  for (const place of needs.keys()) walk([place])
  return [...cycles]
}

const moduleCycles = (files: Files) => cyclesOf(files, moduleOf)

/** The rooms of a module are its folders; a file beside them stands for itself. */
function roomCycles(files: Files): string[] {
  const roomOf = (file: string) => /^src\/modules\/[^/]+\/[^/]+/.exec(file)![0]
  const modules = new Set([...files.keys()].filter(file => moduleOf(file) && roomOf(file) !== file).map(moduleOf))
  return [...modules].flatMap(module => cyclesOf(files, file => (moduleOf(file) === module ? roomOf(file) : undefined)))
}

/** The files that need each other, and those on a way between them: a file that needs none of them, or that none needs, is not among them. */
function fileCircles(files: Files): string[] {
  let left = new Map([...files].map(([file, text]) => [file, importsOf(file, text)]))
  for (let before = Number.POSITIVE_INFINITY; left.size < before; ) {
    before = left.size
    const needed = new Set([...left.values()].flat())
    left = new Map([...left].filter(([file, needs]) => needed.has(file) && needs.some(each => left.has(each))))
  }
  return [...left.keys()]
}

const isQueriesFile = (file: string) => /[/-]queries\.ts$/.test(file)

/** A statement of Kysely, or a template of SQL. */
const hasSql = (text: string) =>
  /\.(?:selectFrom|selectNoFrom|insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\(|\bsql(?:\.\w+\(|(?:<[^`]*>)?\s*`)/.test(
    codeOf(text),
  )

const sqlDefects = (files: Files): string[] =>
  [...files]
    .filter(([file, text]) => moduleOf(file) && !isQueriesFile(file) && hasSql(text))
    .map(([file]) => `${file} has SQL: move it to a file of queries`)

function folderDefects(files: Files, { excused = largerFolders }: { excused?: Record<string, number> } = {}): string[] {
  const folders = Map.groupBy(
    // A catalogue in another language stands beside the English one, and says nothing else.
    [...files.keys()].filter(file => moduleOf(file) && !file.endsWith('/messages.de.ts')),
    file => dirname(file).replace('src/modules/', ''),
  )
  const isExcused = (folder: string) => Object.hasOwn(excused, folder)
  return [
    ...[...folders]
      .filter(([folder, { length }]) => !isExcused(folder) && length > most_files)
      .map(([folder, { length }]) => `${folder} has ${length} files, more than ${most_files}: make folders in it`),
    ...Object.entries(excused)
      .filter(([folder, most]) => most <= most_files || folders.get(folder)?.length !== most)
      .map(([folder, most]) => `${folder} has ${folders.get(folder)?.length ?? 0} files, and ${most} are excused`),
  ]
}

function environmentDefects(files: Files): string[] {
  return [...files]
    .filter(([file, text]) => !readersOfEnvironment.includes(file) && /\bprocess\s*\.\s*env\b/.test(codeOf(text)))
    .map(([file]) => `${file} reads process.env: take it as an argument`)
}

/** The tables that a file changes, by Kysely or by SQL. */
function writesOf(text: string): Set<string> {
  const code = codeOf(text)
  const byKysely = code.matchAll(/\.(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\(\s*['"`](\w+)/g)
  const bySql = code.matchAll(
    /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?|update(?!\s+(?:of|skip|nowait)\b))\s+(?:only\s+)?"?(\w+)/gi,
  )
  return new Set([...byKysely, ...bySql].map(([, table]) => table!).filter(table => Object.hasOwn(owners, table)))
}

function ownerDefects(files: Files, { excused = foreignWrites }: { excused?: Record<string, string> } = {}): string[] {
  const defects: string[] = []
  const seen = new Set<string>()
  for (const [file, text] of files) {
    for (const table of writesOf(text)) {
      if (moduleOf(file) === owners[table]) continue
      if (excused[`${file}: ${table}`]) seen.add(`${file}: ${table}`)
      else defects.push(`${file} changes ${table}, which is ${owners[table]}'s`)
    }
  }
  for (const each of Object.keys(excused)) if (!seen.has(each)) defects.push(`${each} is excused and not there`)
  return defects
}

const files: Files = new Map(
  globSync('src/**/*.ts')
    .filter(file => !isTest(file))
    .map(file => [file, readFileSync(file, 'utf8')]),
)
const withFile = (file: string, text: string): Files => new Map([...files, [file, text]])

describe('the house', () => {
  it('is seen whole by these checks', () => {
    assert.ok(files.size >= 90, `${files.size} files`)
    assert.ok([...files].flatMap(([file, text]) => importsOf(file, text)).length >= 300)
    assert.ok(new Set([...files.keys()].map(moduleOf)).size >= 8)
    const declared = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).imports)
    assert.deepEqual(
      declared.filter(alias => !aliases.some(([pattern]) => pattern.test(alias.replace('*', 'x')))),
      [],
    )
  })

  it('has layers that know nothing of those above, and modules that meet at their doors', () => {
    assert.deepEqual(importDefects(files), [])
  })

  // proves: ROLE-01
  it('asks somewhere for each permission that can be given: one that guards nothing misleads who gives it', () => {
    const givers = ['src/kernel/catalogue.ts', 'src/modules/roles/rules.ts']
    const asking = [...files].filter(([file]) => !givers.includes(file)).map(([, text]) => text)
    assert.deepEqual(
      Object.keys(permissions).filter(name => !asking.some(text => text.includes(`'${name}'`))),
      [],
    )
  })

  // proves: ROLE-02
  it('asks whether somebody is an Admin, and compares no role by its name: a role that inherits has another', () => {
    const named =
      /\brole(?:\.name)?\b\s*[!=]==?(?![=\s]*(?:undefined|null|who)\b)|[!=]==?\s*(?:\w+\.)*role\b|\broles\.includes\(|'Admin'/
    const isKnowing = (file: string) => file === 'src/modules/roles/rules.ts' || file.startsWith('src/commands/demo/')
    const comparing = (all: Files) =>
      [...all].filter(([file, text]) => !isKnowing(file) && named.test(codeOf(text))).map(([file]) => file)
    assert.deepEqual(comparing(files), [])
    for (const text of [
      "actor.role === 'Admin'",
      "'QA' === user.role",
      "roles.includes('QA')",
      "const first = 'Admin'",
    ])
      assert.deepEqual(comparing(withFile('src/modules/x/x.ts', text)), ['src/modules/x/x.ts'], text)
  })

  it('has no modules that need each other', () => {
    assert.deepEqual(moduleCycles(files), [])
  })

  it('proves identities apart from what is signed: passkeys know no signatures', () => {
    const signs = [...files].filter(
      ([file, text]) =>
        moduleOf(file) === 'passkeys' && importsOf(file, text).some(target => moduleOf(target) === 'signatures'),
    )
    assert.deepEqual(
      signs.map(([file]) => file),
      [],
    )
  })

  it('has no rooms of a module that need each other', () => {
    assert.deepEqual(roomCycles(files), [])
  })

  it('has no files that need each other, not even for their types', () => {
    assert.deepEqual(fileCircles(files), [])
  })

  it('has SQL in files of queries alone', () => {
    assert.deepEqual(sqlDefects(files), [])
  })

  it('has folders that one takes in at a glance', () => {
    assert.deepEqual(folderDefects(files), [])
  })

  it('reads the environment in one place', () => {
    assert.deepEqual(environmentDefects(files), [])
  })

  it('has one module that changes each table', () => {
    assert.deepEqual(ownerDefects(files), [])
    const listOfTables = readFileSync('src/platform/db/tables.ts', 'utf8').split('interface Tables {')[1]!
    const tables = [...listOfTables.matchAll(/^ {2}(\w+): [A-Z]\w+$/gm)]
    const known = [...Object.keys(owners), ...keptByDatabase].sort()
    assert.deepEqual(tables.map(([, table]) => table!).sort(), known, 'owners in this file')
    const written = new Set([...files.values()].flatMap(text => [...writesOf(text)]))
    assert.deepEqual(
      [...written].sort(),
      Object.keys(owners).sort(),
      'every table is written by somebody, and seen to be',
    )
  })
})

describe('the checks of the house find', () => {
  const planted: Record<string, [(files: Files) => string[], string, string]> = {
    'an import of a layer above': [importDefects, 'src/kernel/x.ts', `import { a } from '#modules/roles'`],
    'one by a path': [importDefects, 'src/platform/x.ts', `import { a } from '../http/index.ts'`],
    'one for its types alone': [importDefects, 'src/action/x.ts', `import type { Route } from '#http'`],
    'one that is exported at once': [importDefects, 'src/http/x.ts', `export * from '../app.ts'`],
    'one for its effect': [importDefects, 'src/kernel/x.ts', `import '#platform/config.ts'`],
    'one that waits for its moment': [
      importDefects,
      'src/kernel/x.ts',
      `const a = await import('#platform/config.ts')`,
    ],
    'one over many lines': [importDefects, 'src/kernel/x.ts', `import {\n  a,\n  b,\n} from '#action'`],
    'a way past a door': [importDefects, 'src/modules/audit/x.ts', `import { a } from '../roles/queries.ts'`],
    'a way past a door from above': [
      importDefects,
      'src/commands/x.ts',
      `import { a } from '../modules/roles/queries.ts'`,
    ],
    'an import of what is not there': [importDefects, 'src/kernel/x.ts', `import { a } from './nothing.ts'`],
    'an import of the tests': [importDefects, 'src/kernel/x.ts', `import { a } from '#test/world/world.ts'`],
    'a folder that is no layer': [importDefects, 'src/helpers/x.ts', ''],
    'modules that need each other': [moduleCycles, 'src/modules/roles/x.ts', `import { a } from '#modules/documents'`],
    'rooms that need each other': [
      roomCycles,
      'src/modules/documents/core/x.ts',
      `import { a } from '../comments/queries.ts'`,
    ],
    'rooms that need each other by a file beside them': [
      roomCycles,
      'src/modules/documents/core/x.ts',
      `import { a } from '../record.ts'`,
    ],
    'files that need each other': [
      fileCircles,
      'src/platform/storage/storage.ts',
      `import type { StorageFailure } from './failure.ts'`,
    ],
    'a statement among actions': [sqlDefects, 'src/modules/roles/x.ts', `tx.selectFrom('roles')`],
    'a fragment of SQL among actions': [
      sqlDefects,
      'src/modules/roles/x.ts',
      'const a = sql<Record<string, number>>`now()`',
    ],
    'a look at the environment': [environmentDefects, 'src/platform/x.ts', 'const a = process.env.A'],
    'an insert elsewhere': [ownerDefects, 'src/modules/roles/x.ts', `tx.insertInto('users').values({})`],
    'an update elsewhere': [ownerDefects, 'src/modules/roles/x.ts', `tx\n  .updateTable('users as u')`],
    'a deletion elsewhere, in SQL': [ownerDefects, 'src/modules/roles/x.ts', 'sql`delete from users`'],
    'an update elsewhere, in SQL': [ownerDefects, 'src/app.ts', 'sql`\n  UPDATE audit_entries set a = 1`'],
  }
  for (const [what, [check, file, text]] of Object.entries(planted)) {
    it(what, () => {
      assert.ok(check(withFile(file, text)).length > check(files).length)
    })
  }

  it('a folder with too many files', () => {
    const many = Array.from(
      { length: most_files + 1 },
      (_, index) => [`src/modules/roles/many/x${index}.ts`, ''] as const,
    )
    assert.equal(folderDefects(new Map(many), { excused: {} }).length, 1)
    assert.equal(folderDefects(new Map(many.slice(1)), { excused: {} }).length, 0)
  })

  it('an excuse that nothing needs any more', () => {
    assert.deepEqual(ownerDefects(new Map(), { excused: { 'src/modules/x.ts: users': 'because' } }).length, 1)
    assert.equal(folderDefects(new Map(), { excused: { roles: most_files + 1 } }).length, 1)
  })

  it('no import, environment or table where a comment or a lock only speaks of one', () => {
    const text = `/** import { a } from '#modules/roles' and process.env */\n// update users\nsql\`select from users for update\``
    const more = withFile('src/kernel/x.ts', text)
    for (const check of [importDefects, environmentDefects, ownerDefects]) assert.deepEqual(check(more), check(files))
  })
})
