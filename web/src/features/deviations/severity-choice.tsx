import { useQuery } from '@tanstack/react-query'
import { Lightbulb } from 'lucide-react'
import { call } from '../../api/client.ts'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { SeverityMark } from '../../ui/severity.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useWords } from '../../words/index.ts'
import { decisionOf } from './report.ts'
import styles from './report-page.module.css'
import { useReportWords } from './report-words.ts'
import { type Severity, severities } from './search.ts'

const fewest = 15

/** What the service suggests for a text, once it has stood still. It belongs to that text alone. */
export function useSuggestion(text: string) {
  const description = useLater(text.trim(), 900)
  const { data } = useQuery({
    queryKey: ['POST /api/deviations/suggest-severity', description],
    queryFn: async ({ signal }) => ({
      description,
      ...(await call('POST /api/deviations/suggest-severity', { body: { description } }, signal)),
    }),
    enabled: description.length >= fewest,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return data?.description === text.trim() ? data : undefined
}

interface Props {
  suggestion: ReturnType<typeof useSuggestion>
  value: Severity | ''
  reason: string
  onChange: (change: { severity?: Severity; severity_reason?: string }) => void
  wrong: string | undefined
  wrongReason: string | undefined
}

/** A person decides; the published rules suggest. Whoever decides otherwise says why. */
export function SeverityChoice({ suggestion, value, reason, onChange, wrong, wrongReason }: Props) {
  const w = useReportWords()
  const { severities: severityNames } = useWords()
  const decision = suggestion && decisionOf({ severity: value, description: suggestion.description }, suggestion)
  return (
    <div className={styles.severity}>
      <Choice<Severity>
        label={w.severity}
        isRequired
        options={severities.map(id => ({ id, name: severityNames[id], detail: w.means[id] }))}
        value={value}
        onChange={severity => onChange({ severity })}
        wrong={wrong}
      />
      {suggestion && (
        <div className={styles.suggestion} role="status">
          <Lightbulb size={16} aria-hidden="true" />
          <div>
            <p>
              {w.suggested} <SeverityMark of={suggestion.severity} />
            </p>
            <p className="soft">{suggestion.rationale}</p>
          </div>
        </div>
      )}
      {decision === 'overridden' && (
        <Field
          label={w.whyOverride(severityNames[suggestion!.by_rules.severity])}
          rows={2}
          isRequired
          value={reason}
          onChange={severity_reason => onChange({ severity_reason })}
          wrong={wrongReason}
        />
      )}
    </div>
  )
}
