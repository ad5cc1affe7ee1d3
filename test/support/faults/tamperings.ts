// Tampering with an audit trail by somebody with every right in the database, past triggers, keys and checks.

/** A random row of the tenant in `table`. */
const one = (table: string, where = 'true') =>
  `ctid = (select ctid from ${table} where tenant_id = :mine and (${where}) order by random() limit 1)`
const sealed = 'id in (select entry_id from audit_leaves where tenant_id = :mine)'
const withPerson = `${sealed} and person_salt is not null`
const withDetail = `${sealed} and detail_salt is not null`
const flipped = (column: string) => `set_byte(${column}, 3, (get_byte(${column}, 3) + 1) % 256)`
const newest =
  '(epoch, size) = (select epoch, size from audit_checkpoints where tenant_id = :mine order by epoch desc, size desc limit 1)'

/** The new value of a column, and of which rows; or why its value does not matter. */
type Column = { becomes: string; where?: string } | { ignored: string }

export const columns: Record<string, Record<string, Column>> = {
  audit_entries: {
    tenant_id: { becomes: ':other', where: sealed },
    id: { becomes: 'id + 100000', where: sealed },
    occurred_at: { becomes: `occurred_at + interval '1 microsecond'`, where: sealed },
    transaction_id: { ignored: 'It is asked for while its transaction commits, and never again' },
    user_id: { becomes: 'coalesce(user_id, 0) + 1', where: sealed },
    username: { becomes: `username || 'x'`, where: withPerson },
    user_role: { becomes: `user_role || ' '`, where: withPerson },
    outcome: { becomes: `case outcome when 'failed' then 'success' else 'failed' end`, where: sealed },
    action: { becomes: `case action when 'role.deleted' then 'role.created' else 'role.deleted' end`, where: sealed },
    resource_type: { becomes: `resource_type || 's'`, where: sealed },
    resource_id: { becomes: 'coalesce(resource_id, 0) + 1', where: sealed },
    resource_number: { becomes: `coalesce(resource_number, '') || '0'`, where: withDetail },
    resource_revision: { becomes: 'coalesce(resource_revision, 0) + 1', where: withDetail },
    changes: { becomes: `(changes::text || ' ')::json`, where: withDetail },
    reason: { becomes: `coalesce(reason, '') || '.'`, where: withDetail },
    request_id: { becomes: `request_id || 'x'`, where: sealed },
    client_addr: { becomes: `client_addr || '1'`, where: withPerson },
    person_salt: { becomes: flipped('person_salt'), where: withPerson },
    detail_salt: { becomes: flipped('detail_salt'), where: withDetail },
    leaf: { becomes: `replace(leaf, '"v":"1"', '"v":"2"')`, where: sealed },
    leaf_hash: { becomes: flipped('leaf_hash'), where: sealed },
  },
  audit_leaves: {
    tenant_id: { becomes: ':other' },
    seq: { becomes: 'seq + 1' },
    entry_id: { becomes: 'entry_id + 1' },
    epoch: { becomes: 'epoch + 1' },
  },
  audit_checkpoints: {
    tenant_id: { becomes: ':other' },
    epoch: { becomes: 'epoch + 1' },
    size: { becomes: 'size + 1' },
    root: { becomes: flipped('root') },
    note: { becomes: `replace(note, E'\\n\\n', E'\\n\\n ')` },
    created_at: { ignored: 'When it was stored: no proof is read by it' },
  },
  audit_tiles: {
    tenant_id: { becomes: ':other' },
    epoch: { becomes: 'epoch + 1' },
    level: { becomes: 'level + 1' },
    tile: { becomes: 'tile + 1' },
    hashes: { becomes: flipped('hashes') },
    root: { becomes: flipped('root') },
  },
  audit_epochs: {
    tenant_id: { becomes: ':other' },
    epoch: { becomes: 'epoch + 1' },
    first_seq: { becomes: 'first_seq + 1' },
    reason: { becomes: `coalesce(reason, '') || '.'` },
    started_at: { ignored: 'The entry that it began with has its moment, which is hashed' },
    first_entry_id: { becomes: 'coalesce(first_entry_id, 0) + 1' },
  },
  audit_logs: {
    tenant_id: { becomes: ':other' },
    log_id: { becomes: 'gen_random_uuid()' },
    epoch: { becomes: 'epoch + 1' },
    size: { becomes: 'size - 1' },
    frontier: { becomes: `array_prepend(${flipped('frontier[1]')}, frontier[2:])` },
    seq: { becomes: 'seq - 1' },
  },
  audit_redactions: {
    tenant_id: { becomes: ':other' },
    entry_id: { becomes: 'entry_id + 1' },
    part: { becomes: `case part when 'person' then 'detail' else 'person' end` },
    reason: { becomes: `reason || '.'` },
    redacted_by: { becomes: `redacted_by || 'x'` },
    redacted_at: { ignored: 'The entry that tells of it has its moment, which is hashed' },
    recorded_in: { becomes: 'recorded_in - 1' },
  },
  audit_pending: {
    tenant_id: { becomes: ':other' },
    entry_id: { becomes: 'entry_id - 1' },
  },
  audit_places: {
    tenant_id: { becomes: ':other', where: `dimension = 'user_id' and value <> ''` },
    dimension: { becomes: `dimension || 's'` },
    value: { becomes: `value || '1'` },
    block: { becomes: 'block + 1' },
    places: { becomes: 'set_bit(places, 7, 1 - get_bit(places, 7))' },
    lowest_id: { becomes: 'coalesce(lowest_id, 0) + 1' },
    highest_id: { becomes: 'coalesce(highest_id, 0) + 1' },
    earliest: { becomes: `coalesce(earliest, now()) + interval '1 microsecond'` },
    latest: { becomes: `coalesce(latest, now()) + interval '1 microsecond'` },
  },
  audit_words: {
    id: { ignored: 'Rows are told apart by it, and nothing refers to one' },
    tenant_id: { becomes: ':other' },
    block: { becomes: 'block + 1000' },
    words: { becomes: `words || 'x'` },
    place: { becomes: '(coalesce(place, 0) + 1) % 2048' },
    places: { becomes: '~coalesce(places, 0::bit(2048))' },
  },
  audit_keys: {
    key_id: { becomes: `reverse(key_id)` },
    public_key: { becomes: `encode(sha256(convert_to(public_key, 'UTF8')), 'base64')` },
    created_at: { ignored: 'Keys are listed by it' },
    imported_at: {
      ignored: 'A key of another installation is one that entries of before were signed by, and no other',
    },
  },
}
export const tables = Object.keys(columns)

/** Everything that follows from what an entry says is made again: the hash of the entry is right, and the tree is another. */
const madeAgain = `update audit_entries e set leaf = audit_leaf(e, (select log_id from audit_logs where tenant_id = :mine),
    audit_commitment(person_salt, audit_person(e)), audit_commitment(detail_salt, audit_detail(e)))
    where tenant_id = :mine and person_salt is not null and detail_salt is not null;
  update audit_entries set leaf_hash = audit_leaf_hash(leaf) where tenant_id = :mine`
const copyOf = (table: string, values: Record<string, string>, where = 'true') => {
  const names = Object.keys(columns[table]!)
  return `insert into ${table} (${names.join(', ')}) overriding system value select ${names.map(name => values[name] ?? name).join(', ')} from ${table} where ${one(table, where)}`
}
const swapped = (table: string, column: string, where = 'true') =>
  `with two as (select ctid as at, ${column} as it, row_number() over () as n from
      (select ctid, ${column} from ${table} where tenant_id = :mine and (${where}) order by random() limit 2) t)
    update ${table} t set ${column} = b.it from two a, two b where t.ctid = a.at and b.n = 3 - a.n`

const rows: Record<string, string> = {
  'an entry is removed': `delete from audit_entries where ${one('audit_entries', sealed)}`,
  'an entry is removed with its place': `with gone as (delete from audit_leaves where ${one('audit_leaves')} returning entry_id)
    delete from audit_entries e using gone where e.tenant_id = :mine and e.id = gone.entry_id`,
  'an entry is removed, and those behind it move up': `with gone as (delete from audit_leaves where ${one('audit_leaves')} returning seq)
    update audit_leaves l set seq = l.seq - 1 from gone where l.tenant_id = :mine and l.seq > gone.seq;
    update audit_logs set seq = seq - 1, size = size - 1 where tenant_id = :mine`,
  'an entry that waits is forgotten': `delete from audit_pending where ${one('audit_pending')}`,
  'a place is removed': `delete from audit_leaves where ${one('audit_leaves')}`,
  'the newest checkpoint is removed': `delete from audit_checkpoints where tenant_id = :mine and ${newest}`,
  'all checkpoints are removed': `delete from audit_checkpoints where tenant_id = :mine`,
  'all tiles are removed': `delete from audit_tiles where tenant_id = :mine`,
  'an epoch is removed': `delete from audit_epochs where ${one('audit_epochs')}`,
  'the log is removed': `delete from audit_logs where tenant_id = :mine`,
  'it is no longer said that something was redacted': `delete from audit_redactions where ${one('audit_redactions')}`,
  'all keys are removed': `delete from audit_keys`,
  'everything is removed but what the log is said to be': `delete from audit_leaves where tenant_id = :mine; delete from audit_entries where tenant_id = :mine;
    delete from audit_pending where tenant_id = :mine`,

  'what lists find is removed': `delete from audit_places where ${one('audit_places')}`,
  'what searches find is removed': `delete from audit_words where ${one('audit_words')}`,
  'searches find what is not there': copyOf('audit_words', { id: 'id + 100000', words: `words || '0'` }),
  'lists find what is not there': copyOf('audit_places', { value: `value || '0'` }),

  'an entry is there twice': copyOf('audit_entries', { id: 'id + 100000' }, sealed),
  'an entry of another tenant is there': `update audit_entries set tenant_id = :mine where tenant_id = :other and id = (select min(entry_id) from audit_leaves where tenant_id = :other)`,
  'a place is there twice': copyOf('audit_leaves', {}),
  'an entry has another place behind the last': copyOf('audit_leaves', {
    seq: '(select max(seq) + 1 from audit_leaves where tenant_id = :mine)',
  }),
  'a checkpoint of what is to come is there': copyOf('audit_checkpoints', { size: 'size + 100000' }),
  'a checkpoint of another tenant is there': `update audit_checkpoints set tenant_id = :mine where tenant_id = :other`,
  'a tile of what is to come is there': copyOf('audit_tiles', { tile: 'tile + 7' }),
  'an epoch is there that never began': copyOf('audit_epochs', { epoch: 'epoch + 1' }),
  'what has its place waits for another': `insert into audit_pending (tenant_id, entry_id) select tenant_id, entry_id from audit_leaves where ${one('audit_leaves')}`,

  'two entries change the salts of their persons': swapped('audit_entries', 'person_salt', withPerson),
  'two entries change their numbers': swapped('audit_entries', 'id', sealed),
  'two entries change their places': swapped('audit_leaves', 'entry_id'),
  'two places change their numbers': swapped('audit_leaves', 'seq'),
  'two entries change their moments': swapped('audit_entries', 'occurred_at', sealed),
  'two checkpoints change their roots': swapped('audit_checkpoints', 'root'),
  'two checkpoints change their notes': swapped('audit_checkpoints', 'note'),
  'all places are renumbered': `update audit_leaves set seq = seq + 1 where tenant_id = :mine; update audit_logs set seq = seq + 1 where tenant_id = :mine;
    update audit_epochs set first_seq = first_seq + 1 where tenant_id = :mine`,
  'all entries are renumbered': `update audit_entries set id = id + 100000 where tenant_id = :mine; update audit_leaves set entry_id = entry_id + 100000 where tenant_id = :mine;
    update audit_pending set entry_id = entry_id + 100000 where tenant_id = :mine; update audit_redactions set entry_id = entry_id + 100000, recorded_in = recorded_in + 100000 where tenant_id = :mine;
    update audit_epochs set first_entry_id = first_entry_id + 100000 where tenant_id = :mine`,
  'the log is of another tenant': `update audit_entries set tenant_id = :other where tenant_id = :mine; update audit_leaves set tenant_id = :other where tenant_id = :mine`,

  'the last entries are cut off': `delete from audit_leaves where tenant_id = :mine and seq > (select seq - 1 - floor(random() * 3) from audit_leaves where tenant_id = :mine order by seq desc limit 1)`,
  'the last entries are cut off, and the log says so': `update audit_logs set seq = seq - 1, size = size - 1 where tenant_id = :mine;
    delete from audit_leaves where tenant_id = :mine and seq > (select seq from audit_logs where tenant_id = :mine)`,
  'the last entries are cut off with their checkpoints': `update audit_logs set seq = seq - 1, size = size - 1 where tenant_id = :mine;
    delete from audit_leaves where tenant_id = :mine and seq > (select seq from audit_logs where tenant_id = :mine);
    delete from audit_checkpoints where tenant_id = :mine and ${newest}`,

  'a person is removed, and nothing says so': `update audit_entries set username = null, user_role = null, client_addr = null, person_salt = null where ${one('audit_entries', withPerson)}`,
  'a detail is removed, and nothing says so': `update audit_entries set changes = null, resource_number = null, resource_revision = null, reason = null, detail_salt = null
    where ${one('audit_entries', `${withDetail} and action not like 'audit.%'`)}`,
  'a person is removed, and it is said with what tells of another': `with gone as (update audit_entries set username = null, user_role = null, client_addr = null, person_salt = null
      where ${one('audit_entries', withPerson)} returning tenant_id, id)
    insert into audit_redactions (tenant_id, entry_id, part, reason, redacted_by, recorded_in)
      select g.tenant_id, g.id, 'person', r.reason, r.redacted_by, r.recorded_in from gone g, (select * from audit_redactions where tenant_id = :mine limit 1) r`,
  'a name is put where one was removed': `update audit_entries set username = 'petra', user_role = 'QA', client_addr = '' where ${one('audit_entries', `${sealed} and person_salt is null`)}`,
  'changes are put where they were removed': `update audit_entries set changes = '{}' where ${one('audit_entries', `${sealed} and detail_salt is null`)}`,
  'a reason is put where it was removed': `update audit_entries set reason = 'None' where ${one('audit_entries', `${sealed} and detail_salt is null`)}`,

  'an entry is made again with all its hashes': `update audit_entries set username = username || 'x' where ${one('audit_entries', `${withPerson} and detail_salt is not null`)}; ${madeAgain}`,
  'an entry is made again under another moment': `update audit_entries set occurred_at = occurred_at - interval '1 day' where ${one('audit_entries', `${withPerson} and detail_salt is not null`)}; ${madeAgain}`,
  'all entries have salts of another tenant': `update audit_entries e set person_salt = o.person_salt from audit_entries o where e.tenant_id = :mine and e.person_salt is not null
    and o.id = (select max(id) from audit_entries where tenant_id = :other)`,
}

export interface Tampering {
  what: string
  table: string | undefined
  /** With `:mine` and `:other` for the tenants. */
  statements: string
}
export const tamperings: Tampering[] = [
  ...Object.entries(columns).flatMap(([table, each]) =>
    Object.entries(each).flatMap(([column, it]) =>
      'ignored' in it
        ? []
        : {
            what: `another ${column} in ${table}`,
            table,
            statements: `update ${table} set ${column} = ${it.becomes} where ${table === 'audit_keys' ? 'true' : one(table, it.where)}`,
          },
    ),
  ),
  ...Object.entries(rows).map(([what, statements]) => ({ what, table: undefined, statements })),
]
