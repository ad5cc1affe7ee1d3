// The tables of the database by theme: a theme is the migration that creates them.
import type { Client } from 'pg'
import { readMigrations } from '#platform/db/migrate.ts'

interface Table {
  name: string
  sentence: string | null
  columns: { name: string; type: string; is_nullable: boolean; is_computed: boolean }[]
  references: Reference[]
}

interface Reference {
  to: string
  columns: string[]
  /** Whether a row may refer to none. */
  is_optional: boolean
  /** Whether at most one row refers to the same. */
  is_unique: boolean
}

const introduction = `# Tables

The tables of the database by theme; a theme is a file of \`migrations/\`. Every table with a \`tenant_id\` belongs to one company: row security
shows a transaction the rows of its own company only, and each reference includes the \`tenant_id\`. The diagrams leave out the references
that nearly every table has: to \`tenants\` and, outside of Accounts, to \`users\`. The job queue has a schema of its own, \`pgboss\`, which
the library pg-boss defines.`

export async function schemaPage(client: Client): Promise<string> {
  const tables = new Map((await readTables(client)).map(table => [table.name, table]))
  const themes = readMigrations().flatMap(({ name, text }) => {
    const created = [...text.matchAll(/^create (?:unlogged )?table (\w+) \(/gm)].map(([, table]) => table!)
    return created.length > 0 ? [{ file: name, text, tables: created.map(table => tables.get(table)!) }] : []
  })
  const shown = new Set(themes.flatMap(theme => theme.tables))
  const missing = [...tables.values()].filter(table => !shown.has(table)).map(({ name }) => name)
  if (missing.length > 0) throw new Error(`no migration begins a line with create table ${missing.join(', ')} (`)
  return [introduction, ...themes.flatMap(themeOf)].join('\n\n')
}

async function readTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname as name, obj_description(c.oid, 'pg_class') as sentence,
      (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod), 'is_nullable', not attnotnull,
          'is_computed', attgenerated <> '') order by attnum)
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
      (select coalesce(json_agg(r order by r.columns, r.to), '[]') from (
        select k.confrelid::regclass::text as to, array_agg(a.attname order by place) as columns, bool_or(not a.attnotnull) as is_optional,
          exists (select from pg_index i where i.indrelid = k.conrelid and i.indisunique and i.indpred is null
            and (i.indkey::smallint[])[0:i.indnkeyatts - 1] <@ k.conkey) as is_unique
        from pg_constraint k cross join unnest(k.conkey) with ordinality as key (attnum, place)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = key.attnum
        where k.conrelid = c.oid and k.contype = 'f'
        group by k.oid) r) as references
    from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations'`)
  return rows.map(table => ({ ...table, references: table.references.map(withoutKey) }))
}

/** The columns that say which row is meant: the tenant is that of the row itself, and so is its id beside another column. */
function withoutKey({ columns, ...reference }: Reference): Reference {
  const telling = columns.filter(name => name !== 'tenant_id' && name !== 'id')
  return { ...reference, columns: telling.length > 0 ? telling : columns }
}

function themeOf({ file, text, tables }: { file: string; text: string; tables: Table[] }): string[] {
  return [
    `## ${titleOf(file)}`,
    `${reasonOf(text)} ([\`${file}\`](../migrations/${file}))`,
    diagramOf(tables),
    ...tables.flatMap(tableOf),
  ]
}

/** `0007_deviations_and_capas.sql`: Deviations and CAPAs. */
function titleOf(file: string): string {
  const words = file.replace(/^\d+_|\.sql$/g, '').replaceAll('_', ' ')
  return (words[0]!.toUpperCase() + words.slice(1)).replace(/\bcapas\b/, 'CAPAs')
}

/** The comment with which the migration begins. */
const reasonOf = (text: string) =>
  text
    .slice(0, text.search(/^(?!--)/m))
    .replaceAll(/^-- ?/gm, '')
    .trim()

const isDrawn = ({ to, columns }: Reference) =>
  to !== 'tenants' && !columns.includes('created_by') && !columns.includes('updated_by')

/** A reference to a person is drawn beside other tables of people only: nearly every table has one. */
function diagramOf(tables: Table[]): string {
  const names = tables.map(({ name }) => name)
  const lines = tables.flatMap(({ name, references }) =>
    references
      .filter(reference => isDrawn(reference) && (reference.to !== 'users' || names.includes('users')))
      .map(({ to, columns, is_optional, is_unique }) => {
        const ends = `${is_optional ? '|o' : '||'}--${is_unique ? 'o|' : 'o{'}`
        return `  ${to} ${ends} ${name} : "${columns.join(', ')}"`
      }),
  )
  return ['```mermaid', 'erDiagram', ...names.map(name => `  ${name}`), ...lines, '```'].join('\n')
}

function tableOf({ name, sentence, columns, references }: Table): string[] {
  if (!sentence) throw new Error(`the table ${name} needs a sentence: comment on table ${name} is '...'`)
  const rows = columns.map(({ name: column, type, is_nullable, is_computed }) => {
    const to = references.filter(reference => reference.columns.includes(column)).map(each => each.to)
    const links = [...new Set(to)].map(each => `[${each}](#${each})`).join(', ')
    return `| \`${column}\` | ${typeOf(type)}${is_computed ? ', computed' : ''} | ${is_nullable ? 'yes' : ''} | ${links} |`
  })
  return [`### ${name}`, sentence, ['| column | type | null | refers to |', '|---|---|---|---|', ...rows].join('\n')]
}

const typeOf = (type: string) => type.replace('timestamp with time zone', 'timestamptz')
