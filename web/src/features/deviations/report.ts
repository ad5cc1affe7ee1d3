import type { Given } from '../../api/client.ts'
import { formOf, readForm } from '../../records/forms/form-schema.ts'
import type { Category, Severity } from './search.ts'

export type Body = Given<'POST /api/deviations/'>['body']

export const itemKinds = ['product', 'batch', 'equipment', 'system', 'other'] as const
export interface AffectedItem {
  kind: (typeof itemKinds)[number]
  identifier: string
}

/**
 * `writing`: it can be changed. `waiting`: it is sent as soon as there is a connection, and is no record yet. `uncertain`:
 * it was sent and no answer came, so that it may have arrived: it is sent again as it is, with its key.
 */
export type Phase = 'writing' | 'waiting' | 'uncertain'

export interface Report {
  /** The service stores a report with this key once, however often it is sent. */
  key: string
  phase: Phase
  description: string
  title: string
  /** Somebody wrote the title, so it no longer follows the description. */
  isTitled: boolean
  detected_at: string
  occurred_at: string
  department: string
  category: Category | ''
  items: AffectedItem[]
  immediate_action: string
  severity: Severity | ''
  severity_reason: string
  late_report_reason: string
  /** Empty for no form; undefined until somebody chooses: then it is the one that the company offers first. */
  template?: string | undefined
  form: Record<string, unknown>
  /** When it was sent first. */
  posted_at?: number | undefined
  /** What was sent, or is to be sent: an answer that did not come is asked for with the very same. */
  body?: Body | undefined
  /** The files that the service has already, by what they are kept under here. */
  uploads: Record<string, number>
}

export type Suggestion = { description: string; severity: Severity; by_rules: { severity: Severity } }

/** After so many hours the service asks why it is reported late. */
export const lateAfterHours = 24

/** The service knows a key for 48 hours: after that, what is sent again may be stored twice. */
const longestKey_ms = 47 * 3_600_000
export const isForgotten = ({ phase, posted_at }: Pick<Report, 'phase' | 'posted_at'>, now: number) =>
  phase === 'uncertain' && posted_at !== undefined && now - posted_at > longestKey_ms

const two = (value: number) => String(value).padStart(2, '0')
/** As a field of date and time has it: minutes, where this browser is. */
export const asLocal = (date: Date) =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
export const asMoment = (local: string) => new Date(local).toISOString()

export const isLate = (detected_at: string, now: number) =>
  detected_at !== '' && now - new Date(detected_at).getTime() > lateAfterHours * 3_600_000

const longestTitle = 120

/** The first sentence, as a title, until somebody writes another. */
export function titleFrom(description: string): string {
  const first = description
    .trim()
    .split(/(?<=[.!?])\s|\n/, 1)[0]!
    .replace(/[.!?]$/, '')
  if (first.length <= longestTitle) return first
  const cut = first.slice(0, longestTitle)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 60)).trim()} …`
}

export const titleOf = ({ isTitled, title, description }: Pick<Report, 'isTitled' | 'title' | 'description'>) =>
  isTitled ? title : titleFrom(description)

/** Whether the choice is what the published rules suggest for this very text; undefined where they were not asked. */
export function decisionOf(
  { severity, description }: Pick<Report, 'severity' | 'description'>,
  suggestion: Suggestion | undefined,
): 'accepted' | 'overridden' | undefined {
  if (!suggestion || severity === '' || suggestion.description !== description.trim()) return undefined
  return suggestion.by_rules.severity === severity ? 'accepted' : 'overridden'
}

type Missing = 'description' | 'title' | 'detected_at' | 'severity' | 'severity_reason' | 'late_report_reason'

/** The fields that have to be filled in before it can be sent. */
export function missingIn(report: Report, suggestion: Suggestion | undefined, now: number): Missing[] {
  const isOverridden = decisionOf(report, suggestion) === 'overridden'
  const lacks: [Missing, boolean][] = [
    ['description', report.description.trim() === ''],
    ['title', titleOf(report).trim() === ''],
    ['detected_at', report.detected_at === ''],
    ['late_report_reason', isLate(report.detected_at, now) && report.late_report_reason.trim() === ''],
    ['severity', report.severity === ''],
    ['severity_reason', isOverridden && report.severity_reason.trim() === ''],
  ]
  return lacks.filter(([, isMissing]) => isMissing).map(([field]) => field)
}

const written = (text: string) => text.trim() || undefined
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

/** What the service is sent. */
export function bodyOf(
  report: Report,
  suggestion: Suggestion | undefined,
  schema: Record<string, unknown> | undefined,
): Body {
  const decision = decisionOf(report, suggestion)
  const { severity, category, items, template, form } = report
  const named = items.filter(({ identifier }) => identifier.trim() !== '')
  return given({
    title: titleOf(report).trim(),
    description: report.description.trim(),
    severity: severity as 'minor',
    severity_decision: decision,
    severity_reason: decision === 'overridden' ? written(report.severity_reason) : undefined,
    category: category === '' ? undefined : category,
    department: written(report.department),
    detected_at: asMoment(report.detected_at),
    occurred_at: report.occurred_at ? asMoment(report.occurred_at) : undefined,
    late_report_reason: written(report.late_report_reason),
    affected_items:
      named.length > 0 ? named.map(({ kind, identifier }) => ({ kind, identifier: identifier.trim() })) : undefined,
    immediate_action: written(report.immediate_action),
    form_template_id: template ? Number(template) : undefined,
    form_data: template && schema ? readForm(formOf(schema, form), form) : undefined,
  }) as Body
}
