import type { Answer, Given } from '../../api/client.ts'
import type { useFormat } from '../../words/index.ts'
import type { CompanyWords } from './words.en.ts'

export type Settings = Answer<'GET /api/settings/'>
export type SettingsChange = Given<'PUT /api/settings/'>['body']
export type Values = Settings['defaults']
export type Field = keyof Values
export type Method = Values['signature_methods'][number]
export type Ending = Values['upload_types'][number]

/** The settings in the order of their page. */
export const groups: Record<keyof CompanyWords['settings']['groups'], Field[]> = {
  signing: [
    'signature_methods',
    'signature_otp_required',
    'passkeys_device_bound',
    'signature_identity_verified_required',
    'signature_reauth_minutes',
    'signature_statement',
    'fda_letter',
  ],
  login: ['password', 'session_idle_minutes', 'session_max_hours', 'sessions_most', 'sso_required'],
  decisions: ['configuration_needs_approval', 'admin_may_approve', 'hand_over_role'],
  cases: [
    'number_patterns',
    'deviation_form',
    'due_days',
    'report_takers',
    'escalation_hours',
    'digest_hour',
    'retention_years',
  ],
  files: ['upload_types', 'search_synonyms'],
  region: ['time_zone', 'language'],
}

/** By their text: what the service answers for a default is written in the same order. */
export const isDefault = (settings: Settings, field: Field) => isSame(settings[field], settings.defaults[field])

const isSame = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other)

/** Lists of choices have no order. */
function textOf(value: unknown): string {
  if (Array.isArray(value) && value.every(each => typeof each === 'string')) return JSON.stringify([...value].sort())
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return JSON.stringify(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
  return JSON.stringify(value)
}

/** `patternOf`: a pattern of numbers in the words of the reader. `formOf`: the name of a form. */
type Format = Pick<ReturnType<typeof useFormat>, 'list' | 'day'> & {
  patternOf: (pattern: string) => string
  formOf: (id: number) => string
}

/** What a setting is, in words. */
export function valueInWords(
  values: Values,
  field: Field,
  w: CompanyWords,
  { list, day, patternOf, formOf }: Format,
): string {
  const { settings: s } = w
  const { units } = s
  const parts = (of: Record<string, number>, unit: (n: number) => string) =>
    Object.entries(of)
      .map(([part, n]) => `${s.parts[part as keyof typeof s.parts]}: ${unit(n)}`)
      .join(' · ')
  switch (field) {
    case 'signature_methods':
      return values.signature_methods.map(each => s.methods[each]).join(' · ')
    case 'signature_reauth_minutes': {
      const minutes = values.signature_reauth_minutes
      return minutes === null ? s.installation : minutes === 0 ? s.never : units.minutes(minutes)
    }
    case 'signature_statement':
      return values.signature_statement ? units.version(values.signature_statement.version) : w.none
    case 'fda_letter':
      return values.fda_letter ? s.letterOf(day(values.fda_letter.sent_on), values.fda_letter.reference) : w.none
    case 'password':
      return units.characters(values.password.min_length)
    case 'session_idle_minutes':
      return units.minutes(values.session_idle_minutes)
    case 'session_max_hours':
      return units.hours(values.session_max_hours)
    case 'sessions_most':
      return units.browsers(values.sessions_most)
    case 'hand_over_role':
      return values.hand_over_role ?? s.roleNone
    case 'due_days':
      return parts(values.due_days, units.days)
    case 'number_patterns':
      return Object.entries(values.number_patterns)
        .map(([part, pattern]) => `${s.parts[part as keyof typeof s.parts]}: ${patternOf(pattern)}`)
        .join(' · ')
    case 'retention_years':
      return Object.entries(values.retention_years)
        .map(([part, n]) => `${s.parts[part as keyof typeof s.parts]}: ${n === null ? s.keptForEver : units.years(n)}`)
        .join(' · ')
    case 'deviation_form':
      return values.deviation_form === null ? w.none : formOf(values.deviation_form)
    case 'escalation_hours':
      return parts(values.escalation_hours, units.hours)
    case 'report_takers':
      return values.report_takers.length === 0 ? w.none : units.rules(values.report_takers.length)
    case 'digest_hour':
      return units.hour(values.digest_hour)
    case 'upload_types':
      return list([...values.upload_types].sort(), 'conjunction')
    case 'search_synonyms':
      return values.search_synonyms.length === 0 ? w.none : units.lines(values.search_synonyms.length)
    case 'language':
      return s.languages[values.language]
    case 'time_zone':
      return values.time_zone.replaceAll('_', ' ')
    default:
      return values[field] ? w.yes : w.no
  }
}

/** Null is for ever. */
function isAnyShorter(next: Values['retention_years'], now: Values['retention_years']) {
  const orForEver = (years: number | null) => years ?? Number.POSITIVE_INFINITY
  return (['deviation', 'capa'] as const).some(kind => orForEver(next[kind]) < orForEver(now[kind]))
}

/** The consequence of the change, and for how many; undefined where nobody is kept from anything. */
export function dangerOf(
  { people, ...now }: Settings,
  next: Partial<Values>,
  { settings: { dangers, methods } }: CompanyWords,
  { list }: Pick<Format, 'list'>,
): string | undefined {
  if (next.signature_otp_required && !now.signature_otp_required) return dangers.otpOn(people.without_second_factor)
  if (next.signature_identity_verified_required && !now.signature_identity_verified_required)
    return dangers.verifiedOn(people.without_verified_identity)
  if (next.passkeys_device_bound && !now.passkeys_device_bound) return dangers.deviceBound(people.without_passkey)
  if (next.signature_methods) {
    const gone = now.signature_methods.filter(each => !next.signature_methods!.includes(each))
    return gone.length > 0 ? dangers.methods(list(gone.map(each => methods[each]))) : undefined
  }
  if (next.signature_statement && next.signature_statement.text !== now.signature_statement?.text)
    return dangers.statement(people.active)
  if (next.sso_required && !now.sso_required) return dangers.sso(people.active)
  if (next.session_idle_minutes !== undefined || next.session_max_hours !== undefined) return dangers.idle
  if (next.sessions_most !== undefined && next.sessions_most < now.sessions_most) return dangers.sessions
  if (next.admin_may_approve !== undefined && next.admin_may_approve !== now.admin_may_approve)
    return next.admin_may_approve ? dangers.adminsOn : dangers.adminsOff
  if (
    next.configuration_needs_approval !== undefined &&
    next.configuration_needs_approval !== now.configuration_needs_approval
  )
    return next.configuration_needs_approval ? dangers.approvalOn : dangers.approvalOff
  if (next.upload_types?.length !== undefined)
    return now.upload_types.some(each => !next.upload_types!.includes(each)) ? dangers.uploads : undefined
  if (next.retention_years && isAnyShorter(next.retention_years, now.retention_years)) return dangers.retention
  if (next.time_zone !== undefined && next.time_zone !== now.time_zone) return dangers.zone
  return undefined
}
