// A word that is in every text of one tenant must not turn up anywhere in what another one is answered, nor in the log of it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  accepted,
  addRecords,
  draftDocument,
  inputOf,
  pathOf,
  type Records,
  recordOf,
  resourceOfParameter,
  sampleRequest,
  send,
} from '#test/builders/samples.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

/** One of each role, and two beside them. */
const acme = ['ada', 'quinn', 'petra', 'alan', 'uma', 'otto', 'quentin', 'anna']

/** Columns of text that no person types: names, states, hashes and the like, which are the program's own or the same for all. */
const ownWords = new RegExp(
  [
    '\\.(status|status_kind|from_status|to_status|transition|trigger|decision|outcome|action|resource_type|method)$',
    '\\.(priority|training_gate|training_impact|change_type|signature_type|occasion_kind|occasion_ref|cause|time_zone|content_type|granted|denied|user_role|signer_role|version)$',
    '\\.(password_hash|previous_hashes|sha256|jwk_sha256|challenge_sha256|digest|previous_digest|seal|key_id|file_key|request_id|client_addr)$',
    // The number of a record begins with the prefix of its type, which is looked for too; a user name is never changed.
    '\\.(number|resource_number|prefix|username|signer_username)$|^counters\\.name$',
    // Capital letters alone, which are in the number.
    '^document_types\\.number_pattern$|^documents\\.department$',
    '\\.(severity|severity_decision|root_cause_category|move|relation|record_type|record_number)$|^deviation(s|_index)\\.category$',
    // The words of the rules, and of a text only those that they know.
    '^deviations\\.severity_suggestion$',
    '^audit_reviews\\.entries_sha256$|^audit_entries\\.leaf$|^audit_checkpoints\\.note$|^audit_redactions\\.part$|^audit_places\\.(dimension|value)$|^stat_counts\\.measure$|^stat_records\\.resource$',
    // States, and what the program says of a record that was kept.
    '^migration_(batches\\.(settings|ignored_sheets|counts|manifest_sha256|files_sha256|report_sha256|samples|reconciliation)|rows\\.(sheet|sample_finding)|files\\.(kind|record_key|found_sha256))$',
    // Keys of another installation: no line of acme's nor rival's.
    '^imported_signing_keys\\.',
    '^disposal_records\\.(record_status|kept_reason)$|^legal_holds\\.record_kind$',
    '^controlled_copies\\.confirmed_outcome$',
    '^configuration_changes\\.(kind|operation)$',
    '^access_reviews\\.(accounts_sha256|remarks)$|^access_review_accounts\\.(role|source)$',
    '^capas\\.(type|source)$|^effectiveness_reviews\\.result$',
    '^groups\\.group_type$',
    // A number of a record and its revision.
    '^idempotency_keys\\.headers$',
    '^notifications\\.(type|resource_type|dedupe_key)$|^notification_preferences\\.(type|email)$|^user_preferences\\.(language|theme)$',
    '^training_(programs\\.type|assignments\\.source)$',
    // Numbers, and the ids of what they are of.
    '^compliance_(counts\\.kind|people\\.facts)$',
    // How the reading of a file went is said in words of ours.
    '^document_texts\\.(reason|language)$',
    // Blanks and line ends.
    '^document_chunks\\.gap$',
    '^sessions\\.(kind|amr|revoke_reason)$|^users\\.kind$|^api_keys\\.(permissions|last_used_addr|revoke_reason)$',
    // Names of the provider's own, and choices of ours.
    '^sessions\\.provider_sid$|^login_attempts\\.kind$|^sso_domains\\.verified_by_method$',
    '^identity_providers\\.(token_auth|scopes|subject_claim|provisioning|roles_from)$',
    '^passkeys\\.(transports|revoke_reason)$',
    '^tenant_exports\\.(archive_key|step|contents)$|^tenant_exports\\.\\w+_sha256$',
    // Moments, reasons of ours, and what a device answers. What was typed is in the text of the challenge.
    '^signing_challenges\\.(kind|spent|refused_reason)$|^signature_evidence\\.(kind|evidence|key)$',
    '^ai_calls\\.(kind|provider|model|prompt_version|prompt_sha256|answer_sha256)$',
    // The address of a letter and the answer of the mail server are shown to nobody, and a log-in has the address of a machine.
    '^mails\\.(kind|message_id|error|address)$|^password_links\\.purpose$|^notifications\\.code$|^login_addresses\\.address$',
    // Rules name people by role or id, and what they come to is numbers and days.
    '^document_versions\\.approval_(overrides|counts|notice)$',
  ].join('|'),
)
/** The beginning of rival's numbers. */
const prefix = 'RIVAL-'

describe('a word of rival', () => {
  const word = `canary${randomBytes(6).toString('hex')}`
  let world: World
  let records: Records
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
    // Names of people are texts too.
    await world.superuser.query(`begin; set local session_replication_role = replica;
      update users set full_name = '${word} ' || full_name, email = '${word}.' || email
        where tenant_id = ${world.people.rex!.tenant_id};
      update users set identity_verified_at = now(), identity_verified_by = ${world.people.rex!.id},
        identity_verified_method = '${word}', identity_verified_note = '${word}' where username = 'rob';
      update tenants set name = '${word}' where id = ${world.people.rex!.tenant_id}; commit`)
    records = await addRecords(world, word)
    // What an import and a move would have written.
    const rivals = `where tenant_id = ${world.people.rex!.tenant_id}`
    await world.superuser.query(`begin; set local session_replication_role = replica;
      ${['documents', 'deviations', 'capas', 'document_index'].map(each => `update ${each} set legacy_number = '${word} old' ${rivals};`).join(' ')}
      update capa_actions a set status = 'done', completed_at = now(), completed_by = null, completed_by_name = '${word} Weiss', approved_at = now(),
        approved_by = null, approved_by_name = '${word} Weiss', migration_batch_id = (select min(id) from migration_batches ${rivals})
        where id = (select min(id) from capa_actions ${rivals});
      update document_versions v set legacy_label = '${word} B', migration_batch_id = (select min(id) from migration_batches ${rivals})
        ${rivals} and id = (select max(id) from document_versions ${rivals});
      update migration_batches set release_remarks = '${word} remark', discard_reason = '${word} reason' ${rivals};
      update migration_rows set sample_comment = '${word} sample', "values" = '{"name": "${word}"}', planned = '{"name": "${word}"}',
        key = '${word}', messages = '[{"code": "x", "params": {"name": "${word}"}}]', differences = '[{"column": "${word}"}]' ${rivals};
      commit`)
    await world.superuser.query(`begin; set local app.tenant_id = '${world.people.rex!.tenant_id}';
      set local app.transaction_id = '00000000-0000-0000-0000-0000000000bb'; select start_audit_epoch('${word} restored'); commit`)
    // A refusal is recorded too, in rival's trail.
    await world.as('rob').get(`/api/audit/?q=${word}`)
    const file = { bytes: pdf(word), name: `${word}.pdf` }
    const uploaded = await world
      .as('rob')
      .upload('/api/documents/upload', { title: `${word} draft`, document_type: records.rival.document_type! }, file)
    assert.equal(uploaded.statusCode, 201, uploaded.body)
    const { items: types } = (await accepted(world.as('rex').get('/api/document-types/'))).json()
    const sop = types.find(({ name }: { name: string }) => name === 'SOP').id
    const reviewed = `/api/documents/${await draftDocument(world, 'rob', sop, word)}`
    await accepted(world.as('rob').post(`${reviewed}/transition`, { transition: 'submit' }))
    await accepted(world.as('rita').post(`${reviewed}/approve`, {}))
    await accepted(world.as('rita').post(`${reviewed}/withdraw-approval`, { reason: word }))
    const today = new Date().toISOString().slice(0, 10)
    const deputy = { deputy_id: world.people.rex!.id, starts_on: today, ends_on: today, scopes: ['approvals'] }
    const { id: named } = (await accepted(world.as('rita').post('/api/deputies/', deputy))).json()
    await accepted(world.as('rex').post(`${reviewed}/approve`, { on_behalf_of: world.people.rita!.id }))
    await accepted(world.as('rita').post(`/api/deputies/${named}/end`, { end_reason: word }))
    const fields = { change_type: 'minor', change_reason: `${word} reason` }
    await accepted(world.as('rob').upload(`/api/documents/${records.rival.document}/versions`, fields, file))
    const extension = records.rival.deviation_extension
    const [asked] = await world.rows<{ of: string }>(
      'select deviation_id as of from due_date_extensions where id = $1',
      [extension],
    )
    const decide = `/api/deviations/${asked!.of}/extensions/${extension}/decide`
    await accepted(world.as('rita').post(decide, { decision: 'reject', comment: word }))
    const template = `/api/workflow-templates/${records.rival.workflow_template}`
    const { definition } = (await accepted(world.as('rex').get(template))).json()
    definition.states[0].label = `${word} state`
    await accepted(world.as('rex').put(template, { definition, change_reason: word }))
  })
  after(() => world.close())

  it('is in whatever a table of rival says in words', async () => {
    const columns = await world.rows<{ table: string; column: string }>(`
      select c.relname as table, a.attname as column from pg_class c
        join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'json'::regtype, 'jsonb'::regtype)
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`)
    const bare: string[] = []
    for (const { table, column } of columns.filter(each => !ownWords.test(`${each.table}.${each.column}`))) {
      const [found] = await world.rows<{ count: string }>(
        `select count(*) from ${table} where tenant_id = $1 and "${column}"::text like '%' || $2 || '%'`,
        [world.people.rex!.tenant_id, word],
      )
      if (found!.count === '0') bare.push(`${table}.${column}`)
    }
    assert.deepEqual(bare, [], 'give rival such a text above, or say why there is none')
  })

  // proves: SVC-01
  it('is nowhere in what anybody of acme is answered, whatever they ask for, nor in the log of it', async () => {
    // Otherwise nothing would be found because nothing is shown.
    const own = await world.as('rex').get('/api/documents/')
    assert.ok(own.body.includes(word) && own.body.includes(prefix))
    const from = world.lines.length
    let asked = 0
    for (const name of acme) {
      const token = await world.tokenOf(name)
      for (const route of world.app.routes.filter(({ method }) => method === 'GET')) {
        const { query } = inputOf(route)
        const of = (tenant: 'acme' | 'rival') =>
          pathOf(route.url, parameter => recordOf(records, tenant, resourceOfParameter(route.url, parameter)))
        const paths = new Set([of('acme'), of('rival')])
        const required = sampleRequest(route, records).query
        // The largest page has all that a usual one shows.
        const searches = (query?.properties?.page ? [{ page_size: 100 }, { page_size: 100, page: 2 }] : [{}]).map(
          each => ({ ...required, ...each }),
        )
        for (const path of paths) {
          for (const search of searches) {
            const reply = await send(world, route, { path, query: search }, { token })
            asked += 1
            const told = JSON.stringify(reply.headers) + reply.rawPayload.toString('latin1')
            assert.ok(
              !told.includes(word) && !told.includes(prefix),
              `${route.method} ${path} for ${name}: ${reply.body.slice(0, 500)}`,
            )
          }
        }
        // Whoever guesses the word learns nothing by it, but what they typed is in the access line.
        // An export says in the trail of its own tenant by which filter it was made.
        if (query?.properties?.q && route.action.kind === 'query') {
          const guessed = (await send(world, route, { path: route.url, query: { q: word } }, { token })).json()
          if (guessed.items) {
            // Some lists are bounded, and count nothing.
            assert.deepEqual([guessed.items, guessed.total ?? 0], [[], 0], route.url)
          }
        }
      }
    }
    assert.ok(asked > 200, `${asked} requests`)
    const lines = world.lines
      .slice(from)
      .filter(({ path }) => !String(path).includes(`q=${word}`))
      .map(each => JSON.stringify(each))
    assert.ok(lines.length > 200)
    assert.deepEqual(
      lines.filter(line => line.includes(word) || line.includes(prefix)),
      [],
    )
  })
})
