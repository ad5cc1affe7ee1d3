import assert from 'node:assert/strict'
import type { Route } from '#http'
import { everybodysPassword } from '../world/people.ts'
import { checkRefusal } from '../world/refusals.ts'
import { pdf, type World } from '../world/world.ts'
import { addAssistant } from './assistant-samples.ts'
import { addCaseParts } from './case-samples.ts'
import { addConfigurationChange } from './configuration-samples.ts'
import { addCopy } from './copy-samples.ts'
import { addDeputy } from './deputy-samples.ts'
import { addTenantExport } from './export-samples.ts'
import { addGroups } from './group-samples.ts'
import { addMail } from './mail-samples.ts'
import { addHistoricalApproval, addMigration, filesOf, groups } from './migrations.ts'
import { addPreferences } from './notify-samples.ts'
import { addPasskey } from './passkey-samples.ts'
import { pdfOf } from './pdf.ts'
import { addProviderRecords } from './provider-samples.ts'
import { addJob } from './queue-samples.ts'
import { addRedaction } from './redaction-samples.ts'
import { addFileRemoval } from './removal-samples.ts'
import { addRetention } from './retention-samples.ts'
import { addAccessReview, addAuditReview } from './review-samples.ts'
import { addImportedKey, addSealed } from './sealing-samples.ts'
import { addServiceAccount } from './service-samples.ts'
import { addTemplates } from './template-samples.ts'
import { addText } from './text-samples.ts'
import { addTraining } from './training-samples.ts'
import { addVectors } from './vector-samples.ts'

/** A JSON schema as far as the sweeps look into one. */
export interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
  'x-references'?: string
}

/** Beyond any id that a test makes, and within what an id may be. */
export const nobodysId = 999_999_999

/** The records of each kind that the tests stand on: one of acme, and one of rival that nobody of acme may notice. */
export interface Records {
  acme: Record<string, number>
  rival: Record<string, number>
}

/** The kind of record of the first part of a path, or the first two. A new collection is added here, with a record in `addRecords`. */
const collections: Record<string, string> = {
  users: 'user',
  roles: 'role',
  'document-types': 'document_type',
  'workflow-templates': 'workflow_template',
  documents: 'document',
  deviations: 'deviation',
  capa: 'capa',
  uploads: 'upload',
  groups: 'group',
  deputies: 'deputy',
  'controlled-copies': 'controlled_copy',
  'deviations/form-templates': 'form_template',
  'training/curricula': 'curriculum',
  training: 'training_program',
  'training/assignments': 'training_assignment',
  signatures: 'signature',
  notifications: 'notification',
  audit: 'audit_entry',
  'audit/reviews': 'audit_review',
  'configuration-changes': 'configuration_change',
  'file-removals': 'file_removal',
  'tenant-exports': 'tenant_export',
  migrations: 'migration_batch',
  disposals: 'disposal',
  'legal-holds': 'legal_hold',
  'users/access-reviews': 'access_review',
  'auth/sessions': 'session',
  'service-accounts': 'service_account',
  'auth/identities': 'user_identity',
  'auth/passkeys': 'passkey',
  'signing-challenges': 'signing_challenge',
  jobs: 'job',
  mails: 'mail',
  platform: 'tenant',
  templates: 'content_template',
  'identity-providers': 'identity_provider',
  'sso-domains': 'sso_domain',
  'set-up': 'tenant',
}

/** Filters and other places that hold an id without `x-references`. */
export const idFields: Record<string, string> = {
  document_type: 'document_type',
  owner_id: 'user',
  user_id: 'user',
  holder_id: 'user',
  reviewer_id: 'audit_reviewer',
  signer_id: 'user',
  proposed_by: 'configuration_proposer',
  document_id: 'document',
  parent_id: 'document_comment',
  assigned_to: 'user',
  reported_by: 'user',
  capa_id: 'capa',
  deviation_id: 'deviation',
  training_id: 'training_program',
  group_id: 'group',
  person_id: 'user',
  deputy_id: 'person_who_is_deputy',
  resource_id: 'document',
  who: 'user',
}

const resourceOfPath = (url: string) => {
  const [first, second] = url.split('/').slice(2)
  const resource = collections[`${first}/${second}`] ?? collections[first!]
  assert.ok(resource, `test/support/builders/samples.ts does not know what ${url} holds: add it to collections`)
  return resource
}

/** The kind of a path's parameter: `:id` is of the kind that its collection holds, `:comment_id` a comment of such a one. */
export const resourceOfParameter = (url: string, parameter: string) => {
  const [, part] = /^(\w+)_id$/.exec(parameter) ?? []
  if (part === undefined && parameter !== 'id') return parameter
  return part === undefined ? resourceOfPath(url) : `${resourceOfPath(url)}_${part}`
}

/** The url with its parameters filled in: by what is given for them, or all of them by one. */
export const pathOf = (url: string, ids: ((parameter: string) => string | number) | string | number) =>
  url
    // Documents label their versions.
    .replace(/(?<=\/documents\/:id\/versions\/):version/, '1.0')
    .replace(/:(\w+)/g, (_, parameter: string) => String(typeof ids === 'function' ? ids(parameter) : ids))

export function recordOf(records: Records, tenant: 'acme' | 'rival', resource: string) {
  const id = records[tenant][resource]
  assert.ok(id, `there is no ${resource} of ${tenant} to try: add one in test/support/builders/samples.ts`)
  return id
}

/** Signs without a password being asked for: everybody's log-in is fresh. */
export async function effectiveDocument(
  world: World,
  { admin, author, approver }: Record<'admin' | 'author' | 'approver', string>,
  type: number,
  title: string,
) {
  const uploaded = await world
    .as(author)
    .upload(
      '/api/documents/upload',
      { title, document_type: type, category: title, description: title, keywords: title },
      { bytes: await pdfOf(1), name: 'procedure.pdf' },
    )
  assert.equal(uploaded.statusCode, 201, uploaded.body)
  const { id } = uploaded.json()
  await accepted(world.as(author).post(`/api/documents/${id}/transition`, { transition: 'submit' }))
  await accepted(
    world.as(approver).post(`/api/documents/${id}/delegate`, { to: world.people[admin]!.id, reason: title }),
  )
  await accepted(world.as(approver).post(`/api/documents/${id}/end-delegation`, { reason: title }))
  await accepted(world.as(approver).post(`/api/documents/${id}/approve`, { comment: title }))
  return id as number
}

export async function draftDocument(world: World, author: string, type: number, title = 'Draft') {
  const uploaded = await world.as(author).upload('/api/documents/upload', { title, document_type: type })
  assert.equal(uploaded.statusCode, 201, uploaded.body)
  return uploaded.json().id as number
}

/** The reply, if it is a success. */
export async function accepted<T extends { statusCode: number; body: string }>(answer: Promise<T>) {
  const reply = await answer
  assert.ok(reply.statusCode < 300, `${reply.statusCode} ${reply.body}`)
  return reply
}

/** One as it is reported, and another that is assigned; closed, it has all that a deviation can have. */
async function deviationRecord(
  world: World,
  { author, approver, admin }: Record<'author' | 'approver' | 'admin', string>,
  { word, isClosed, ...fields }: { word: string; isClosed: boolean; document_ids: number[]; form_template_id: number },
) {
  const report = {
    ...fields,
    title: `${word} deviation`,
    description: word,
    severity: 'critical',
    category: 'other',
    department: word,
    affected_items: [{ kind: 'other', identifier: word }],
    immediate_action: word,
    impact_assessment: word,
    no_capa_reason: word,
    form_data: { field: word },
    late_report_reason: word,
    severity_reason: word,
  }
  const { id } = (await accepted(world.as(author).post('/api/deviations/', report))).json()
  const assigned_to = world.people[author]!.id
  await accepted(world.as(approver).post('/api/deviations/', { ...report, assigned_to }))
  if (!isClosed) return id as number
  const put = (by: string, body: object) =>
    accepted(world.as(by).put(`/api/deviations/${id}`, { ...body, change_reason: word }))
  const root_cause = { method: 'five_whys', category: 'other', summary: word, steps: [{ why: word, because: word }] }
  await put(approver, { status: 'under_investigation', assigned_to })
  await put(approver, { status: 'pending_approval', root_cause, investigation: word })
  await put(admin, { status: 'closed' })
  return id as number
}

/** One with an action and a review; closed, it has all that a CAPA can have. */
async function capaRecords(
  world: World,
  { author, approver }: Record<'author' | 'approver', string>,
  { word, isClosed, ...links }: { word: string; isClosed: boolean; document_ids: number[]; deviation_ids: number[] },
) {
  const [owner, reviewer] = [world.people[author]!.id, world.people[approver]!.id]
  const { id: capa } = (
    await accepted(
      world.as(author).post('/api/capa/', {
        title: `${word} CAPA`,
        description: word,
        type: 'corrective',
        source: 'internal',
        root_cause: word,
        adverse_effect_assessment: word,
        assigned_to: owner,
        ...links,
        actions: [{ description: word, assigned_to: owner }],
      }),
    )
  ).json()
  const url = `/api/capa/${capa}`
  const plan = { criteria: word, method: 'trend', due_date: '2199-01-31', reviewer_id: reviewer }
  const { id: review } = (await accepted(world.as(approver).post(`${url}/effectiveness`, plan))).json()
  const { actions } = (await accepted(world.as(author).get(url))).json()
  const capa_action = actions[0].id as number
  if (isClosed) {
    const change_reason = word
    const done = [{ id: capa_action, status: 'done', evidence: word }]
    await accepted(world.as(author).put(url, { status: 'in_progress', change_reason }))
    await accepted(world.as(author).put(url, { actions: done, change_reason }))
    await accepted(world.as(approver).put(url, { status: 'pending_effectiveness', change_reason }))
    const found = { result: 'effective', conclusion: word, change_reason, evidence: word, follow_up: word }
    await accepted(world.as(approver).put(`${url}/effectiveness/${review}`, found))
    await accepted(world.as(approver).put(url, { status: 'closed', change_reason }))
  }
  return { capa: capa as number, capa_action, review: review as number }
}

/** A log-in by a program that names itself. */
async function addSession(world: World, username: string, word: string) {
  await accepted(
    world.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      headers: { 'user-agent': word },
      payload: { username, password: everybodysPassword },
    }),
  )
  const [row] = await world.rows<{ id: string }>('select max(id) as id from sessions where user_id = $1', [
    world.people[username]!.id,
  ])
  return Number(row!.id)
}

/**
 * A record of each kind in both tenants. Every text of rival's is or holds `token`, which so must not turn up anywhere in what
 * acme is answered.
 */
export async function addRecords(world: World, token = 'rivals'): Promise<Records> {
  await addSealed(world)
  const of = async (
    tenant: 'acme' | 'rival',
    people: { admin: string; author: string; approver: string; user: string },
  ) => {
    const [type] = await world.rows<{ id: string; workflow_template_id: string; tenant_id: string }>(
      `select t.id, t.workflow_template_id, t.tenant_id from document_types t join tenants n on n.id = t.tenant_id
       where n.slug = $1 and t.name = 'General document'`,
      [tenant],
    )
    const { admin, author, approver, user } = people
    const word = tenant === 'rival' ? token : 'acmes'
    const role = (
      await accepted(world.as(admin).post('/api/roles/', { name: `${word} role`, description: word }))
    ).json().id
    const template = (
      await accepted(world.as(admin).get(`/api/workflow-templates/${type!.workflow_template_id}`))
    ).json()
    const ownTemplate = (
      await accepted(
        world.as(admin).post('/api/workflow-templates/', {
          name: `${word} template`,
          description: word,
          definition: template.definition,
        }),
      )
    ).json()
    const ownType = (
      await accepted(
        world.as(admin).post('/api/document-types/', {
          name: `${word} type`,
          prefix: tenant.toUpperCase(),
          description: word,
          workflow_template_id: ownTemplate.id,
        }),
      )
    ).json()
    const effective = await effectiveDocument(world, people, ownType.id, `${word} document`)
    await world.rows('insert into storage_sweeps (tenant_id, swept_at) values ($1, now())', [type!.tenant_id])
    // Most of what can be done to a document can be done to a draft; rival's has all that a document can have.
    const document = tenant === 'acme' ? await draftDocument(world, author, ownType.id) : effective
    const signature = async (signature_type: string) =>
      (
        await accepted(
          world.as(author).post('/api/signatures/', {
            document_id: document,
            signature_type,
            intent: `${word} signature`,
          }),
        )
      ).json().id as number
    const formPath = '/api/deviations/form-templates/'
    const sections = [{ key: 'section', title: word, fields: [{ key: 'field', label: word, type: 'text' }] }]
    const form = (
      await accepted(world.as(admin).post(formPath, { name: `${word} form`, description: word, sections }))
    ).json().id as number
    if (tenant === 'rival') {
      sections[0]!.fields.push({ key: 'another', label: word, type: 'file' })
      await accepted(world.as(admin).put(formPath + form, { sections, change_reason: word }))
    }
    const deviation = await deviationRecord(world, people, {
      word,
      isClosed: tenant === 'rival',
      document_ids: [document],
      form_template_id: form,
    })
    const authorship = await signature('authorship')
    const mistake = await signature('witness')
    await accepted(world.as(admin).post(`/api/signatures/${mistake}/void`, { reason: `${word} mistake` }))
    const { id: comment } = (
      await accepted(
        world.as(author).post(`/api/documents/${document}/comments`, {
          ...{ text: `${word} comment`, quote: word },
          mentions: [world.people[approver]!.id],
        }),
      )
    ).json()
    const reply = { text: `${word} reply`, parent_id: comment }
    await accepted(world.as(author).post(`/api/documents/${document}/comments`, reply))
    // Actions that a comment or an effective document allows only once are left for acme.
    if (tenant === 'rival') {
      await accepted(world.as(author).post(`/api/documents/${document}/comments/${comment}/resolve`, { reply: word }))
      const verdict = { outcome: 'keep_effective', comment: word }
      await accepted(world.as(approver).post(`/api/documents/${document}/periodic-review`, verdict))
    }
    const { capa, capa_action, review } = await capaRecords(world, people, {
      word,
      isClosed: tenant === 'rival',
      document_ids: [document],
      deviation_ids: [deviation],
    })
    const parts = await addCaseParts(world, {
      word,
      people,
      document: effective,
      ...(tenant === 'acme' && { records: { deviation, capa } }),
    })
    await addText(world, { word, author, document_type: ownType.id })
    await addVectors(world, author)
    await addPreferences(world, admin, word)
    const groups = await addGroups(world, { word, people })
    // The Admin is notified of these.
    for (let attempt = 0; attempt < 5; attempt++)
      await world.server.inject({
        method: 'POST',
        url: '/api/auth/token',
        payload: { username: approver, password: 'a password of nobody' },
      })
    const [notification] = await world.rows<{ id: string }>(
      'select max(id) as id from notifications where user_id = $1',
      [world.people[admin]!.id],
    )
    await addAssistant(world, { word, by: admin })
    const mails = await addMail(world, { to: admin, notification: Number(notification!.id) })
    const [entry] = await world.rows<{ id: string }>(
      `select min(id) as id from audit_entries where resource_type = 'document' and resource_id = $1`,
      [document],
    )
    const file = { bytes: pdf(word), name: `${word}.pdf` }
    const { id: upload } = (await accepted(world.as(admin).upload('/api/uploads/', { description: word }, file))).json()
    await addImportedKey(world, Number(type!.tenant_id))
    if (tenant === 'rival') await addRedaction(world, { by: admin, word })
    return {
      user: world.people[user]!.id,
      role,
      document_type: ownType.id,
      workflow_template: ownTemplate.id,
      document,
      form_template: form,
      deviation,
      version: 1,
      signature: authorship,
      document_comment: comment,
      capa,
      capa_action,
      capa_review: review,
      upload: upload as number,
      ...parts,
      ...groups,
      ...(await addCopy(world, { word, people, document: effective, isDone: tenant === 'rival' })),
      ...(await addDeputy(world, { word, people })),
      ...(await addProviderRecords(world, { word, user, role, group: groups.group })),
      ...(await addTemplates(world, { word, people, document_type: ownType.id })),
      ...(await addJob(world, { word, by: admin })),
      ...(await addAuditReview(world, { word, by: admin })),
      ...(await addRetention(world, {
        ...{ word, admin, author, approver, document_type: ownType.id },
        isDecided: tenant === 'rival',
      })),
      ...(await addConfigurationChange(world, {
        ...{ word, admin, by: approver, template: ownTemplate.id },
        isRejected: tenant === 'rival',
      })),
      ...(await addAccessReview(world, { word, by: admin })),
      ...(await addFileRemoval(world, {
        ...{ word, admin, author, requester: approver, isDecided: tenant === 'rival' },
      })),
      ...(await addTenantExport(world, { word, by: admin })),
      ...(await addMigration(world, { word, by: admin })),
      ...(await addHistoricalApproval(world, { word, by: admin, document })),
      ...(await addTraining(world, { word, people, document, groups, isDone: tenant === 'rival' })),
      ...(await addPasskey(world, { word, by: admin, user, document })),
      session: await addSession(world, admin, word),
      ...(await addServiceAccount(world, { word, admin })),
      ...mails,
      notification: Number(notification!.id),
      audit_entry: Number(entry!.id),
      tenant: Number(type!.tenant_id),
    } satisfies Record<string, number>
  }
  return {
    acme: await of('acme', { admin: 'ada', author: 'alan', approver: 'quinn', user: 'alan' }),
    rival: await of('rival', { admin: 'rex', author: 'rob', approver: 'rita', user: 'rob' }),
  }
}

/** Places in the log and sizes of its tree: numbers as large as ids, and nobody's. */
const numbersOfLog = ['seq_from', 'seq_to', 'size', 'old']

/** Every place of a schema that holds the id of a record, as the way to it: `['owner_id']`, `['approvers', '0', 'who']`. */
export function idPositions(schema: Schema, way: string[] = []): { way: string[]; resource: string | undefined }[] {
  if (schema['x-references']) return [{ way, resource: schema['x-references'] }]
  if (schema.type === 'integer' && numbersOfLog.includes(way.at(-1)!)) return []
  if (schema.type === 'integer' && schema.maximum === Number.MAX_SAFE_INTEGER)
    return [{ way, resource: idFields[way.findLast(step => !/^\d+$/.test(step))!] }]
  return [
    ...(schema.anyOf ?? []).flatMap(each => idPositions(each, way)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => idPositions(each, [...way, name])),
    ...(schema.items ? idPositions(schema.items, [...way, '0']) : []),
  ]
}

/** Texts that a pattern asks for, by the pattern. */
const byPattern: Record<string, string> = {
  '^[0-9a-f]{64}$': '0'.repeat(64),
  '^[0-9]{6}$': '123456',
  '^[A-Za-z0-9_-]+$': 'AAAA',
  '^[a-z-]+$': 'usb',
  '^/api/[A-Za-z0-9/_-]+$': '/api/signatures/',
  '^\\d{6}$': '123456',
  '^[A-Z][A-Z0-9]{0,9}$': 'XY',
  '^[1-9]\\d{0,5}\\.\\d{1,6}$': '1.0',
  '^[a-z][a-z0-9_]{0,39}$': 'draft',
  '^[a-z][a-z0-9_]{0,59}$': 'name',
  '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$': 'a-slug',
  '^[A-Za-z0-9][A-Za-z0-9._-]{1,63}$': 'a.name',
  '^https://[^\\s?#]{1,500}$': 'https://id.invalid',
  '^[A-Za-z0-9_:./-]{1,120}$': 'claim',
  '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,120}$': 'openid',
  '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$': 'example.org',
}
/** Fields whose text must be more than well-formed. */
const byName: Record<string, string> = {
  password: 'Purple kettle 47 boats',
  new_password: 'Purple kettle 47 boats',
  temporary_password: 'Purple kettle 47 boats',
  current_password: everybodysPassword,
  time_zone: 'Europe/Berlin',
  q: 'acmes',
}
const byFormat: Record<string, string> = {
  email: 'somebody@example.org',
  date: '2026-03-01',
  'date-time': '2026-03-01T08:30:00Z',
}

/** The least that the schema takes; with `whole`, each optional field too. Ids are acme's. */
export function sample(schema: Schema, records: Records, { whole = false, name = '' } = {}): unknown {
  const reference = schema['x-references'] ?? (schema.maximum === Number.MAX_SAFE_INTEGER ? idFields[name] : undefined)
  if (reference) return recordOf(records, 'acme', reference)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sample(schema.anyOf[0]!, records, { whole, name })
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          // Who has no deputy acts for themselves.
          .filter(([field]) => (whole && field !== 'on_behalf_of') || schema.required?.includes(field))
          .map(([field, each]) => [field, sample(each, records, { whole, name: field })]),
      )
    case 'array':
      return Array.from({ length: schema.minItems ?? (whole ? 1 : 0) }, () =>
        sample(schema.items!, records, { whole, name }),
      )
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'string': {
      const text = schema.pattern
        ? byPattern[schema.pattern]
        : (byName[name] ?? byFormat[schema.format ?? ''] ?? (name || 'text'))
      assert.ok(text, `test/support/builders/samples.ts has no text for the pattern ${schema.pattern}`)
      return text
    }
    default:
      return 'anything'
  }
}

export interface Asked {
  path: string
  query?: Record<string, unknown>
  body?: Record<string, unknown>
  form?: Record<string, unknown>
  /** The file of a form. */
  file?: { bytes: Buffer; name: string }
}

export const inputOf = (route: Route) =>
  route.action.input as { params?: Schema; query?: Schema; body?: Schema; form?: Schema }

/** A file that the form takes: a list or an archive where no other is. */
function sampleFile(action: Route['action']) {
  const takes = ('takes' in action && action.takes) || []
  if (takes.includes('csv')) return { bytes: groups('Of a sample'), name: 'a.csv' }
  return takes.includes('zip') ? { bytes: filesOf('a.pdf'), name: 'a.zip' } : { bytes: pdf(), name: 'a.pdf' }
}

/** A request that the route's schemas take, with acme's ids. */
export function sampleRequest(route: Route, records: Records, { whole = false } = {}): Asked {
  const { query, body, form } = inputOf(route)
  const path = pathOf(route.url, parameter => recordOf(records, 'acme', resourceOfParameter(route.url, parameter)))
  return {
    path,
    ...(query && (whole || query.required) && { query: sample(query, records) as Record<string, unknown> }),
    ...(body && { body: sample(body, records, { whole }) as Record<string, unknown> }),
    ...(form && {
      form: sample(form, records, { whole }) as Record<string, unknown>,
      file: sampleFile(route.action),
    }),
  }
}

export async function send(
  world: World,
  { method }: Pick<Route, 'method'>,
  { path, query, body, form, file }: Asked,
  { token, headers = {} }: { token?: string | undefined; headers?: Record<string, string> } = {},
) {
  const parameters = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  )
  const url = parameters.length > 0 ? `${path}?${new URLSearchParams(parameters).toString()}` : path
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const options = { method: method as 'GET', url, headers: { ...authorization, ...headers } }
  if (form) {
    const encoded = new FormData()
    for (const [name, value] of Object.entries(form)) encoded.append(name, String(value))
    if (file) encoded.append('file', new Blob([new Uint8Array(file.bytes)]), file.name)
    const response = new Response(encoded)
    return world.server.inject({
      ...options,
      headers: { 'content-type': response.headers.get('content-type')!, ...options.headers },
      payload: Buffer.from(await response.arrayBuffer()),
    })
  }
  return world.server.inject({ ...options, ...(body !== undefined && { payload: body }) })
}

/** The caller of the route: the Admin of acme, or the platform's operator. */
export const callerOf = ({ action }: Route) =>
  action.kind !== 'open' && action.permission.startsWith('platform.') ? 'pat' : 'ada'

/** AUTH-07: without a second factor the platform's operator may do nothing. */
export const giveSecondFactor = (world: World, name: string) =>
  world.superuser.query(
    `begin; set local session_replication_role = replica;
     update credentials set totp_confirmed_at = now() where user_id = ${world.people[name]!.id}; commit`,
  )

type Answer = Awaited<ReturnType<typeof send>>

/** Checks every answer (ERR-01, ERR-04, RID-01): the header, and of a refusal one of the shapes without the request id. */
export function checkAnswer(reply: Answer, what: string): Answer {
  assert.match(String(reply.headers['x-request-id']), /^[A-Za-z0-9._-]{8,64}$/, `${what}: X-Request-ID`)
  assert.ok(reply.statusCode < 500, `${what}: ${reply.statusCode} ${reply.body.slice(0, 300)}`)
  if (reply.statusCode >= 400) checkRefusal(reply.statusCode, reply.body, what)
  return reply
}

/** Follows from the entries of the trail, and goes with them. */
const madeOfEntries = [
  'audit_checkpoints',
  'audit_leaves',
  'audit_logs',
  'audit_pending',
  'audit_places',
  'audit_tiles',
  'audit_words',
]

/** A digest of each table's rows: of all tenants, or of one. Two that are equal mean that nothing was written. */
export async function digestOfTables(
  world: World,
  { tenant, without = [] }: { tenant?: number; without?: string[] } = {},
): Promise<Record<string, string>> {
  const tables = await world.rows<{ name: string; is_tenants: boolean }>(
    `select c.relname as name, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped) as is_tenants
     from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  const left = new Set(without.includes('audit_entries') ? [...without, ...madeOfEntries] : without)
  const of = tables.filter(({ name, is_tenants }) => !left.has(name) && (tenant === undefined || is_tenants))
  const parts = of.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as digest from "${name}" t
       ${tenant === undefined ? '' : `where tenant_id = ${tenant}`}`,
  )
  const rows = await world.rows<{ name: string; digest: string }>(parts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}
