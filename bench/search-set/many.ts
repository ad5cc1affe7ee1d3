import type { World } from '#test/world/world.ts'
import { documents } from './read.ts'

/** Pieces of text that are told apart; each is in as many documents as it takes. */
const most_pieces = 25_000
export const pieces_each = 5
const words_made = 60_000

/** The same at each run. */
function chance(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
const random = chance(7)
const pick = <T>(some: readonly T[]) => some[Math.floor(random() * some.length)]!

const real = documents.flatMap(({ text }) => text.toLowerCase().match(/\p{L}{2,}/gu) ?? [])

/** The words of the set by how frequent they are, then made ones: those of any text, of which few are frequent and most are rare. */
function vocabulary(): string[] {
  const counts = new Map<string, number>()
  for (const word of real) counts.set(word, (counts.get(word) ?? 0) + 1)
  const known = [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word)
  const syllables = 'ba ce di fo gu la me ni po ru sa te vi xo zu bra cle dri flo gru ster tion quil phen oxy'.split(
    ' ',
  )
  const made = new Set<string>()
  while (made.size < words_made - known.length)
    made.add(Array.from({ length: 3 + Math.floor(random() * 2) }, () => pick(syllables)).join(''))
  return [...known, ...made]
}

/** By Zipf's law, as Mandelbrot wrote it. */
function zipf(words: readonly string[]): () => string {
  let sum = 0
  const upTo = words.map((_, rank) => {
    sum += 1 / (rank + 2.7) ** 1.05
    return sum
  })
  return () => {
    const wanted = random() * sum
    let [low, high] = [0, upTo.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (upTo[middle]! < wanted) low = middle + 1
      else high = middle
    }
    return words[low]!
  }
}

interface Piece {
  heading: string
  body: string
  title: string
}

/** About a thousand characters each, one of ten a part of a real document. */
function makePieces(count: number): Piece[] {
  const word = zipf(vocabulary())
  const parts = documents.flatMap(({ text }) => text.split(/^#.*$/m).filter(part => part.trim().length > 300))
  const sentence = () => `${Array.from({ length: 8 + Math.floor(random() * 12) }, word).join(' ')}.`
  return Array.from({ length: count }, () => ({
    heading: `${word()} ${word()} ${word()}`,
    body: random() < 0.1 ? pick(parts) : Array.from({ length: 10 }, sentence).join(' '),
    title: `${pick(documents).title.split(' ').slice(0, 4).join(' ')} ${word()}`,
  }))
}

export interface Seeded {
  /** In one piece alone each. */
  rare: string[]
}

/** Kept in a table of the superuser's connection, so that a service that starts finds no table without row security; their words are made as those of a text are. */
export async function seedPieces({ superuser }: World, count: number): Promise<Seeded> {
  const pieces = makePieces(Math.min(most_pieces, count))
  await superuser.query(
    'create temporary table pool (n integer primary key, heading text, body text, title text, words tsvector)',
  )
  const at_once = 500
  for (let from = 0; from < pieces.length; from += at_once) {
    const some = pieces.slice(from, from + at_once)
    await superuser.query(
      `insert into pool select n + $1, heading, body, title, chunk_words('eng', heading, body)
       from unnest($2::text[], $3::text[], $4::text[]) with ordinality p (heading, body, title, n)`,
      [from - 1, some.map(({ heading }) => heading), some.map(({ body }) => body), some.map(({ title }) => title)],
    )
  }
  const frequency = new Map<string, number>()
  for (const { body, heading, title } of pieces)
    for (const word of new Set(`${body} ${heading} ${title}`.split(/[ .]+/)))
      frequency.set(word, (frequency.get(word) ?? 0) + 1)
  return {
    rare: [...frequency].filter(([word, in_pieces]) => in_pieces === 1 && word.length > 6).map(([word]) => word),
  }
}

const first_id = 1_000_000

/**
 * Documents `from` to `to` of the tenant of this person, while triggers sleep: nine of ten effective, one of twenty for those who are
 * trained on it. The words of a text are those of its pieces one after the other.
 */
export async function seedDocuments(
  { superuser, people }: World,
  { owner, from, to }: { owner: string; from: number; to: number },
) {
  const { id, tenant_id } = people[owner]!
  const values = [from, to, first_id * tenant_id, id, people[owner === 'alan' ? 'anna' : owner]!.id]
  await superuser.query(
    `set app.tenant_id = '${tenant_id}'; set session_replication_role = replica; set maintenance_work_mem = '512MB'`,
  )
  const { rows: indexes } = await superuser.query<{ name: string; definition: string }>(
    "select indexname as name, indexdef as definition from pg_indexes where tablename = 'document_index' and indexdef like '% gin %'",
  )
  for (const { name } of indexes) await superuser.query(`drop index ${name}`)
  // The common beginning of the statements: the documents, with their type and state.
  const made = `with pieces as (select count(*)::integer as count from pool), made as (
    select n, $3::bigint + n as id, case when n % 1000 = 0 then $5::bigint else $4::bigint end as owner, t.id as type, t.prefix,
      t.workflow_template_id, (array['Production', 'Quality control', 'Quality assurance', 'Engineering', 'Warehouse', 'IT'])[1 + n % 6] as category,
      t.prefix || '-' || lpad(n::text, 6, '0') as number, initcap((select title from pool where pool.n = (m.n::bigint * 31) % pieces.count)) || ' ' || n % 997 as title,
      case n % 20 when 0 then 'draft' when 1 then 'obsolete' else 'effective' end as status,
      case n % 20 when 0 then 'initial' when 1 then 'final' else 'effective' end as kind,
      date '2016-01-01' + n % 3650 as dated
    from pieces, generate_series($1::integer, $2::integer) m (n) join (select *, row_number() over (order by id) - 1 as place, count(*) over () as types
      from document_types where tenant_id = current_tenant()) t on t.place = m.n % t.types)`
  const each = (of: (place: number) => string, by: string) =>
    Array.from({ length: pieces_each }, (_, place) => of(place)).join(by)
  const piece = (place: string) => `((m.n::bigint * ${pieces_each} + ${place}) * 7919) % pieces.count`
  const joined = each(place => `join pool p${place} on p${place}.n = ${piece(String(place))}`, ' ')
  const statements = [
    `insert into documents (tenant_id, id, number, document_type_id, owner_id, created_by, updated_by, effective_version_id, latest_version_id)
      overriding system value select current_tenant(), id, number, type, owner, owner, owner, case when kind = 'effective' then id end, id from made m`,
    `insert into document_versions (tenant_id, id, document_id, major, minor, change_type, title, category, keywords, file_key, file_name,
        file_size, content_type, sha256, workflow_template_id, workflow_template_version, status, status_kind, created_by, effective_at, effective_date)
      overriding system value select current_tenant(), id, id, 1, 0, 'major', title, category, '{}', 'none/' || id, 'file.md', 1000, 'text/markdown',
        repeat('0', 64), workflow_template_id, 1, status, kind, owner, case when kind <> 'initial' then dated end, case when kind <> 'initial' then dated end from made m`,
    `insert into document_texts (version_id, document_id, status, extractor, language, pages, characters, extracted_at)
      select id, id, 'extracted', 1, 'eng', ${pieces_each}, ${pieces_each * 1000}, now() from made m`,
    `insert into document_index (version_id, document_id, number, title, document_type_id, category, status, status_kind, owner_id, created_by,
        listed_on, is_shown, is_restricted, content_revision, words)
      select id, id, number, plain_words(m.title), type, category, status, kind, owner, owner, dated, true, m.n % 20 = 2, 1,
        ${each(place => `p${place}.words`, ' || ')} || label_words(number, m.title, '{}', null) from pieces, made m ${joined}`,
    `insert into document_chunks (version_id, position, page, heading, body, words)
      select id, c.position, c.position + 1, p.heading, p.body, p.words
      from pieces, made m cross join generate_series(0, ${pieces_each - 1}) c (position) join pool p on p.n = ${piece('c.position')}`,
  ]
  for (const statement of statements)
    await superuser.query(
      `${made} ${statement}`.replaceAll('from pieces, made m', 'from made m cross join pieces'),
      values,
    )
  for (const { definition } of indexes) await superuser.query(definition)
  await superuser.query('reset session_replication_role')
}
