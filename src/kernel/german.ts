// Words and forms that the German sentences share.
import { listInWords } from './message.ts'

/** `03.05.2026` for a day, and `03.05.2026, 08:30 UTC` for a moment; anything else stays as it is. */
export function day(value: string): string {
  const [, year, month, date, time] =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z| UTC)?)?$/.exec(String(value)) ?? []
  if (year === undefined) return / UTC \(/.test(String(value)) ? datesIn(String(value)) : String(value)
  return `${date}.${month}.${year}${time === undefined ? '' : `, ${time} UTC`}`
}

/** All days of a text that the program made, and the clocks behind them: `21.11.2026 11:05:33 UTC`. */
export const datesIn = (text: string) => text.replace(/\b(\d{4})-(\d{2})-(\d{2})\b/g, '$3.$2.$1')

/** `1.234` */
export const number = (value: number): string =>
  typeof value === 'number' ? value.toLocaleString('de') : String(value)

export const and = (parts: readonly string[]) => listInWords(parts, 'und')
export const or = (parts: readonly string[]) => listInWords(parts, 'oder')

/** The people who can decide instead, at the end of a refusal. */
export const othersOrAdmin = (others: readonly string[], permission: string) =>
  others.length > 0 ? or(others) : `ein Admin muss jemand anderem die Berechtigung ${permission} geben`

const documentStates: Readonly<Record<string, string>> = {
  draft: 'ein Entwurf',
  in_review: 'in Prüfung',
  in_approval: 'in Freigabe',
  approved: 'freigegeben',
  effective: 'gültig',
  superseded: 'ersetzt',
  obsolete: 'ungültig',
  cancelled: 'verworfen',
}
/** The state of a version, which a tenant's own workflow names as it likes. */
export const documentState = (state: string) =>
  documentStates[String(state).toLowerCase().replaceAll(' ', '_')] ?? state

const severities: Readonly<Record<string, string>> = {
  minor: 'geringfügig',
  major: 'schwerwiegend',
  critical: 'kritisch',
}
export const severity = (value: string) => severities[value] ?? value

/** Whether a request of some kind was decided already. */
const decisions: Readonly<Record<string, string>> = {
  requested: 'beantragt',
  proposed: 'vorgeschlagen',
  pending: 'offen',
  approved: 'genehmigt',
  rejected: 'abgelehnt',
  withdrawn: 'zurückgezogen',
  outdated: 'überholt',
  overtaken: 'überholt',
  completed: 'ausgeführt',
  done: 'ausgeführt',
}
export const decision = (value: string) => decisions[value] ?? value
