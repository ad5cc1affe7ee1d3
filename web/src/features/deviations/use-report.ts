import { useState } from 'react'
import { serviceNow } from '../../api/client.ts'
import { keepDraft } from '../../ui/use-draft.ts'
import { useMe } from '../session/session.ts'
import { type AffectedItem, asLocal, type Body } from './report.ts'
import type { Category, Severity } from './search.ts'

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
  template: string
  form: Record<string, unknown>
  /** When it was sent first. */
  posted_at?: number | undefined
  /** What was sent, or is to be sent: an answer that did not come is asked for with the very same. */
  body?: Body | undefined
  /** The files that the service has already, by what they are kept under here. */
  uploads: Record<string, number>
}

const begun = (): Report => ({
  key: crypto.randomUUID(),
  phase: 'writing',
  description: '',
  title: '',
  isTitled: false,
  detected_at: asLocal(new Date(serviceNow())),
  occurred_at: '',
  department: '',
  category: '',
  items: [],
  immediate_action: '',
  severity: '',
  severity_reason: '',
  late_report_reason: '',
  template: '',
  form: {},
  uploads: {},
})

/** The report that somebody is writing in this tab. It is kept with each letter. */
export function useReport() {
  const name = `report ${useMe().id}`
  const [report, setReport] = useState<Report>(() => {
    const kept = sessionStorage.getItem(`draft ${name}`)
    return kept ? (JSON.parse(kept) as Report) : begun()
  })
  /** Works on the newest, also when an answer comes that was asked for before somebody typed on. */
  const change = (next: Partial<Report>) =>
    setReport(before => {
      const after = { ...before, ...next }
      keepDraft(name, JSON.stringify(after))
      return after
    })
  const forget = () => {
    keepDraft(name, '')
    setReport(begun())
  }
  return { report, change, forget }
}
