import { type Static, Type } from 'typebox'
import { type ActionContext, type Actor, command, configurationCommand, query } from '#action'
import { refuseStale } from '#action/revision.ts'
import { dayIn } from '#kernel/day.ts'
import { conflict, type DeniedRecord, forbidden, invalidField, notFound } from '#kernel/errors.ts'
import { defaultLanguage, languages } from '#kernel/message.ts'
import { messages as shared } from '#kernel/messages.ts'
import { defaultPatterns, maxPattern } from '#kernel/number-pattern.ts'
import { Body, ChangeFields, Day, Id, Nullable, OneOf, Person, Ref, Timestamp, Words } from '#kernel/schema.ts'
import { findRoleByName } from '#modules/roles'
import { defaultSessionSettings } from '#modules/sessions'
import type { Tx } from '#platform/db/database.ts'
import { knownEndings, usualEndings } from '#platform/files/media-type.ts'
import { messages } from '../messages.ts'
import { isProviderActive, listBreakGlass } from '../queries.ts'
import { ReportTaker, requireTakers } from '../report-takers.ts'
import { isTimeZone } from '../rules.ts'
import { countSigners } from '../signing/queries.ts'
import { signatureMethods } from '../signing/rules.ts'
import { requireRecordPatterns } from './numbering.ts'
import {
  countPeople,
  findFormTemplate,
  findSettings,
  hasDocument,
  listLastChanges,
  lockSettings,
  nameOfTenant,
  updateTenant,
} from './queries.ts'

const Days = Type.Integer({ minimum: 1, maximum: 3650 })
const Minutes = Type.Integer({
  minimum: 0,
  maximum: 1440,
  description:
    'For so long a log-in proves the identity of a signer; 0 requires the password each time, null takes the value of the installation',
})
const PasswordLength = Type.Integer({ minimum: 12, maximum: 64 })

const Hours = Type.Integer({ minimum: 1, maximum: 8760 })
const DigestHour = Type.Integer({
  minimum: 0,
  maximum: 23,
  description: 'The hour of the day, in the time zone of the tenant, from which digests are sent',
})
const optionalHours = { urgent: Type.Optional(Hours), high: Type.Optional(Hours), normal: Type.Optional(Hours) }

const UploadTypes = Type.Array(OneOf(...knownEndings), {
  minItems: 1,
  uniqueItems: true,
  description: 'The endings of files that can be uploaded',
})

const Flag = (description: string) => Type.Boolean({ description })

/** 21 CFR 11.100(c): the certification to the agency that signatures here are as binding as handwritten ones. */
const Letter = Body({
  sent_on: Day,
  reference: Words(200),
  document_id: Nullable(Ref('document')),
})

const maxTakers = 100
const ReportTakers = Type.Array(ReportTaker, {
  maxItems: maxTakers,
  description:
    'The people who take deviations that are reported without an assignee. The first entry applies that fits the `department` of the report and the group of its reporter (`reporter_group_id`), and whose taker can: a `user_id` is assigned it, the people of a `group_id` who may assign it are asked to',
})

const HandOverRole = Nullable({
  ...Words(80),
  description:
    'People with this role take the open work of a deactivated user for which no successor is named, or whose successor may not do it. The work is shared out evenly; null leaves it to be assigned by hand',
})

const RetentionYears = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    description:
      'For so many years from the day on which a record was closed, cancelled or rejected its attached files are kept; then two people can dispose of them. Null keeps them for ever. A shorter period is set with a reason',
  }),
)

const dueDays = { critical: Days, major: Days, minor: Days }
const optional = { critical: Type.Optional(Days), major: Type.Optional(Days), minor: Type.Optional(Days) }

const Pattern = Type.String({ maxLength: maxPattern })

const IdleMinutes = Type.Integer({
  minimum: 5,
  maximum: 480,
  description:
    'The session of a browser ends when it was not used for so long. A shorter time holds at once, a longer one from the next log-in',
})
const MaxHours = Type.Integer({
  minimum: 1,
  maximum: 24,
  description: 'The session of a browser ends so long after the log-in in any case',
})
const SessionsMost = Type.Integer({
  minimum: 1,
  maximum: 100,
  description:
    'A user has at most so many browsers logged in at once: a further one ends the session that was unused longest',
})

const SignatureMethods = Type.Array(OneOf(...signatureMethods), {
  minItems: 1,
  uniqueItems: true,
  description:
    'The proofs of identity that a signature is accepted with: `password` (without a second factor), `password_otp`, `session` (a log-in with the password that is recent enough), `passkey`, `provider` (a new log-in at the provider of single sign-on)',
})
const deviceBound =
  'Only passkeys that never leave their device sign; those that are copied between devices only log in'
const SsoRequired = Flag(
  'People log in by a provider of the company alone; only break-glass accounts have a password that opens. Switched on by an Admin who has logged in by an active provider, while a break-glass account with a second factor exists',
)

const CompanyLanguage = {
  ...OneOf(...languages),
  description:
    'The language of copies that are the same for every reader: dossiers, signed copies and controlled copies',
}

const deviationForm =
  'The form template that is offered first when somebody reports a deviation; they can choose another one or none'

const maxSynonyms = 500
const Synonyms = Type.Array(Words(300), {
  maxItems: maxSynonyms,
  uniqueItems: true,
  description:
    'Words of the company for the search, each line the names of one thing: `fridge | refrigerator | KS-1`. They are added to those of the trade',
})

const fields = {
  time_zone: Type.String(),
  language: CompanyLanguage,
  due_days: Type.Object(dueDays),
  signature_reauth_minutes: Nullable(Minutes),
  admin_may_approve: Type.Boolean(),
  password: Type.Object({ min_length: PasswordLength }),
  upload_types: UploadTypes,
  signature_otp_required: Flag('Each signature requires the password and the code of a second factor'),
  signature_identity_verified_required: Flag(
    'Signing requires that another person has verified the identity of the signer',
  ),
  configuration_needs_approval: Flag(
    'A workflow template, form template, role or document type, the numbering of records, retention periods, and switching this off, takes effect when another person approves it',
  ),
  signature_statement: Nullable(Type.Object({ version: Type.Integer(), text: Type.String() })),
  fda_letter: Nullable(Letter),
  number_patterns: Type.Object(
    { deviation: Pattern, capa: Pattern },
    {
      description:
        'How new deviations and CAPAs are numbered: parts separated by `-`, `.` or `_`, of which `{year}` is the year of the report, and the digits last, as in `DEV-{year}-{0000}`. Each text before the digits is a gapless series. Document types have patterns of their own',
    },
  ),
  retention_years: Type.Object({ deviation: RetentionYears, capa: RetentionYears }),
  deviation_form: Nullable({ ...Id, description: deviationForm }),
  report_takers: ReportTakers,
  search_synonyms: Synonyms,
  hand_over_role: HandOverRole,
  digest_hour: DigestHour,
  escalation_hours: Type.Object(
    { urgent: Hours, high: Hours, normal: Hours },
    { description: 'After so many hours an unread request is escalated to the next person in charge' },
  ),
  session_idle_minutes: IdleMinutes,
  session_max_hours: MaxHours,
  sessions_most: SessionsMost,
  signature_methods: SignatureMethods,
  passkeys_device_bound: Flag(deviceBound),
  sso_required: SsoRequired,
}
const SettingsValues = Type.Object(fields)
/** The settings that each tenant decides for itself. */
export type TenantSettings = Static<typeof SettingsValues>

const Settings = Type.Object({ ...fields, revision: Type.Integer() })
const SettingsWithOrigin = Type.Object({
  ...Settings.properties,
  company_name: Type.String({ description: 'Changed by PUT /api/settings/company-name' }),
  defaults: Type.Object(fields, { description: 'The default of each setting' }),
  people: Type.Object(
    {
      active: Type.Integer(),
      without_second_factor: Type.Integer(),
      without_verified_identity: Type.Integer(),
      without_passkey: Type.Integer(),
    },
    { description: 'How many active people a change would touch' },
  ),
  last_changes: Type.Array(
    Type.Object({
      field: Type.String({ description: 'A field of the settings' }),
      changed_at: Timestamp,
      changed_by: Nullable(Person),
      change_reason: Nullable(Type.String()),
    }),
    { description: 'The last change of each setting that was ever changed, by the audit trail' },
  ),
})

const SettingsUpdate = Body({
  time_zone: Type.Optional(Words(64)),
  language: Type.Optional(CompanyLanguage),
  due_days: Type.Optional(Body(optional)),
  signature_reauth_minutes: Type.Optional(Nullable(Minutes)),
  admin_may_approve: Type.Optional(Type.Boolean()),
  password: Type.Optional(Body({ min_length: Type.Optional(PasswordLength) })),
  upload_types: Type.Optional(UploadTypes),
  signature_otp_required: Type.Optional(Type.Boolean()),
  signature_identity_verified_required: Type.Optional(Type.Boolean()),
  configuration_needs_approval: Type.Optional(Type.Boolean()),
  signature_statement: Type.Optional(Nullable(Body({ text: Words(4000) }))),
  fda_letter: Type.Optional(Nullable(Letter)),
  number_patterns: Type.Optional(Body({ deviation: Type.Optional(Pattern), capa: Type.Optional(Pattern) })),
  retention_years: Type.Optional(
    Body({ deviation: Type.Optional(RetentionYears), capa: Type.Optional(RetentionYears) }),
  ),
  deviation_form: Type.Optional(Nullable({ ...Ref('form_template'), description: deviationForm })),
  report_takers: Type.Optional(ReportTakers),
  search_synonyms: Type.Optional(Synonyms),
  hand_over_role: Type.Optional(HandOverRole),
  digest_hour: Type.Optional(DigestHour),
  escalation_hours: Type.Optional(Body(optionalHours)),
  session_idle_minutes: Type.Optional(IdleMinutes),
  session_max_hours: Type.Optional(MaxHours),
  sessions_most: Type.Optional(SessionsMost),
  signature_methods: Type.Optional(SignatureMethods),
  passkeys_device_bound: Type.Optional(Type.Boolean()),
  sso_required: Type.Optional(SsoRequired),
  ...ChangeFields,
})

/** An Admin, who can give themselves a permission, decides about records only where the company allows it. */
export const mayApprove = (
  { admin_may_approve }: Pick<TenantSettings, 'admin_may_approve'>,
  { isAdmin }: { isAdmin: boolean },
) => admin_may_approve || !isAdmin

/** Refuses the decision of an Admin about a record where Admins may not approve. */
export async function requireApprover(tx: Tx, actor: Actor, record?: DeniedRecord) {
  if (!mayApprove(await readSettings(tx), actor)) throw forbidden(shared.admin_may_not_approve(), record)
}

export const defaultSettings: TenantSettings = {
  time_zone: 'UTC',
  language: defaultLanguage,
  due_days: { critical: 3, major: 15, minor: 30 },
  signature_reauth_minutes: null,
  admin_may_approve: true,
  password: { min_length: 12 },
  upload_types: usualEndings,
  signature_otp_required: false,
  signature_identity_verified_required: false,
  configuration_needs_approval: false,
  signature_statement: null,
  fda_letter: null,
  number_patterns: defaultPatterns,
  retention_years: { deviation: null, capa: null },
  deviation_form: null,
  report_takers: [],
  search_synonyms: [],
  hand_over_role: null,
  digest_hour: 7,
  escalation_hours: { urgent: 24, high: 72, normal: 72 },
  sso_required: false,
  ...defaultSessionSettings,
  signature_methods: [...signatureMethods],
  passkeys_device_bound: false,
}

/** Nobody may lock the company out: the caller has come by a provider, and an account gets in should it fail. */
async function requireWayIn({ tx, actor }: ActionContext<unknown>) {
  const { provider } = actor.session ?? {}
  if (!provider || !(await isProviderActive(tx, provider.id))) throw conflict(messages.sso_required_by_password())
  const ready = (await listBreakGlass(tx)).some(each => each.is_active && each.has_totp)
  if (!ready) throw conflict(messages.sso_required_without_break_glass())
}

/** A line with one name would say nothing. */
function requireNames(synonyms: readonly string[]) {
  const place = synonyms.findIndex(line => line.split('|').filter(name => /[\p{L}\p{N}]/u.test(name)).length < 2)
  if (place >= 0) throw invalidField(`search_synonyms.${place}`, messages.synonym_needs_two_names())
}

/** What may be destroyed earlier than before, may be so for a reason. */
function requireNoShorterRetention(before: TenantSettings, after: TenantSettings) {
  const orForEver = (years: number | null) => years ?? Number.POSITIVE_INFINITY
  for (const kind of ['deviation', 'capa'] as const)
    if (orForEver(after.retention_years[kind]) < orForEver(before.retention_years[kind]))
      throw invalidField('change_reason', messages.retention_of_records_shortened_without_reason())
}

async function requireForm(tx: Tx, id: number) {
  const form = await findFormTemplate(tx, id)
  if (!form) throw notFound('Form template')
  if (!form.is_active) throw conflict(messages.deviation_form_inactive({ name: form.name }))
}

/** The audit trail is read by people, who know the form by its name. */
const withFormName = async <T extends { deviation_form: number | null }>(tx: Tx, settings: T) => ({
  ...settings,
  deviation_form: settings.deviation_form && ((await findFormTemplate(tx, settings.deviation_form))?.name ?? null),
})

/** Whether anybody can sign by the settings. A company in which nobody can could not even sign the way back. */
export async function hasSigners(
  tx: Tx,
  { signature_methods: methods, passkeys_device_bound }: TenantSettings,
): Promise<boolean> {
  if (methods.includes('password') || methods.includes('session')) return true
  const otp = methods.includes('password_otp')
  const signers = await countSigners(tx, {
    ...{ otp, passkey: methods.includes('passkey'), deviceBound: passkeys_device_bound },
    provider: methods.includes('provider'),
  })
  return signers > 0
}

type Stored = {
  [K in keyof TenantSettings]?: TenantSettings[K] extends readonly unknown[]
    ? TenantSettings[K]
    : TenantSettings[K] extends object
      ? Partial<TenantSettings[K]>
      : TenantSettings[K]
} & {
  /** Counts all statements, so that no version number is used for two wordings, even after a time without a statement. */
  signature_statements?: number
}

/** Only changed settings are stored, so that a later release can have other defaults. */
const merge = ({
  due_days,
  password,
  escalation_hours,
  number_patterns,
  retention_years,
  signature_statements: _count,
  ...rest
}: Stored): TenantSettings => ({
  ...defaultSettings,
  ...rest,
  due_days: { ...defaultSettings.due_days, ...due_days },
  password: { ...defaultSettings.password, ...password },
  escalation_hours: { ...defaultSettings.escalation_hours, ...escalation_hours },
  number_patterns: { ...defaultPatterns, ...number_patterns },
  retention_years: { ...defaultSettings.retention_years, ...retention_years },
})

/** A new wording is a new version, which everybody has to accept again. */
function nextStatement({ signature_statement: old, signature_statements = 0 }: Stored, next: { text: string } | null) {
  if (next === null || next.text === old?.text) return { signature_statement: next && (old ?? null) }
  const version = signature_statements + 1
  return { signature_statement: { version, text: next.text }, signature_statements: version }
}

const findStored = async (tx: Tx) => {
  const row = await findSettings(tx)
  return { id: row?.id ?? 0, stored: (row?.settings ?? {}) as Stored, revision: row?.revision ?? 0 }
}

const read = new WeakMap<Tx, Promise<TenantSettings>>()
/** Asked of the database once in a transaction: several rules of one action go by them. */
export function readSettings(tx: Tx): Promise<TenantSettings> {
  const settings = read.get(tx) ?? findStored(tx).then(({ stored }) => merge(stored))
  read.set(tx, settings)
  return settings
}

export const settings = query({
  summary: 'Read the settings of the tenant',
  permission: 'settings.read',
  input: {},
  response: SettingsWithOrigin,
  async run({ tx }) {
    const { id, stored, revision } = await findStored(tx)
    return {
      ...merge(stored),
      revision,
      company_name: await nameOfTenant(tx),
      defaults: defaultSettings,
      people: await countPeople(tx),
      last_changes: await listLastChanges(tx, id),
    }
  },
})

export const changeSettings = configurationCommand({
  configures: 'settings',
  operation: 'update',
  needsApproval: ({ body }) =>
    body.configuration_needs_approval === false ||
    body.number_patterns !== undefined ||
    body.retention_years !== undefined,
  summary: 'Change the settings of the tenant',
  description: 'Fields that are left out stay as they are.',
  permission: 'settings.manage',
  input: { body: SettingsUpdate },
  response: Settings,
  async run(context, { body: { revision: _revision, change_reason, signature_statement: statement, ...change } }) {
    const { tx, services, record, afterCommit } = context
    if (change.time_zone !== undefined && !isTimeZone(change.time_zone))
      throw invalidField('time_zone', messages.time_zone_unknown())
    const letter = change.fda_letter?.document_id
    if (letter && !(await hasDocument(tx, letter))) throw notFound('Document')
    if (change.deviation_form) await requireForm(tx, change.deviation_form)
    requireNames(change.search_synonyms ?? [])
    if (change.report_takers) await requireTakers(tx, change.report_takers)
    const role = change.hand_over_role
    if (role && !(await findRoleByName(tx, role))) throw notFound('Role')
    await lockSettings(tx)
    const { id, stored, revision } = await findStored(tx)
    await refuseStale(context, 'settings', { id, revision })
    if (change.sso_required === true && stored.sso_required !== true) await requireWayIn(context)
    const next: Stored = {
      ...stored,
      ...change,
      ...(change.due_days && { due_days: { ...stored.due_days, ...change.due_days } }),
      ...(statement !== undefined && nextStatement(stored, statement)),
      ...(change.escalation_hours && {
        escalation_hours: { ...stored.escalation_hours, ...change.escalation_hours },
      }),
      ...(change.number_patterns && { number_patterns: { ...stored.number_patterns, ...change.number_patterns } }),
      ...(change.retention_years && { retention_years: { ...stored.retention_years, ...change.retention_years } }),
      ...(change.password && { password: { ...stored.password, ...change.password } }),
    }
    if (change_reason === undefined) requireNoShorterRetention(merge(stored), merge(next))
    if (change.number_patterns) await requireRecordPatterns(tx, merge(next).number_patterns, change.number_patterns)
    if ((change.signature_methods || change.passkeys_device_bound) && !(await hasSigners(tx, merge(next))))
      throw conflict(messages.signing_methods_of_nobody({ methods: merge(next).signature_methods }))
    await updateTenant(tx, id, { settings: JSON.stringify(next) })
    read.delete(tx)
    const [before, after] = [
      { ...merge(stored), revision },
      { ...merge(next), revision: revision + 1 },
    ]
    const shown = await Promise.all([before, after].map(values => withFormName(tx, values)))
    record('settings.updated', id, { before: shown[0]!, after: shown[1]!, reason: change_reason ?? null })
    // Sessions are judged by them.
    afterCommit(() => services.accounts.changed())
    // The settings are in the tenant's row, whose revision they share.
    record('tenant.updated', id, {
      before: { revision },
      after: { revision: revision + 1 },
      reason: change_reason ?? null,
    })
    return after
  },
})

/** Everything that prints the name takes the new one from then on; the slug, by which people log in, stays. */
export const renameCompany = command({
  summary: 'Change the name of the company',
  description: 'The slug stays. Records that were signed or printed before keep the name that they bear.',
  permission: 'settings.manage',
  input: {
    body: Body({ name: Words(200), change_reason: Words(2000), revision: ChangeFields.revision }),
  },
  response: Type.Object({ company_name: Type.String(), revision: Type.Integer() }),
  async run(context, { body: { name, change_reason: reason } }) {
    const { tx, services, record, afterCommit } = context
    await lockSettings(tx)
    const { id, revision } = await findStored(tx)
    await refuseStale(context, 'settings', { id, revision })
    const before = await nameOfTenant(tx)
    await updateTenant(tx, id, { name })
    const next = revision + 1
    record('settings.updated', id, {
      before: { company_name: before, revision },
      after: { company_name: name, revision: next },
      reason,
    })
    record('tenant.updated', id, { before: { name: before, revision }, after: { name, revision: next }, reason })
    afterCommit(() => services.accounts.changed())
    return { company_name: name, revision: next }
  },
})

/** Today in the time zone of the tenant. */
export const todayOf = async ({ tx, services }: Pick<ActionContext<unknown>, 'tx' | 'services'>) =>
  dayIn((await readSettings(tx)).time_zone, services.clock.now())
