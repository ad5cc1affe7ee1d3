import { useState } from 'react'
import { serviceNow } from '../../api/client.ts'
import { keepDraft } from '../../ui/use-draft.ts'
import { useMe } from '../session/session.ts'
import { asLocal, type Report } from './report.ts'

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
