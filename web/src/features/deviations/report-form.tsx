import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, serviceNow } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, askPage } from '../../api/queries.ts'
import { ValueField } from '../../records/fields/value-field.tsx'
import { FormFields, schemaOf } from '../../records/forms/form-fields.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { useFocusOnWrong } from '../../ui/use-focus-on-wrong.ts'
import { useLater } from '../../ui/use-later.ts'
import { AffectedItems } from './affected-items.tsx'
import { Photos } from './photos.tsx'
import { bodyOf, isLate, lateAfterHours, missingIn, titleOf } from './report.ts'
import styles from './report-page.module.css'
import { useReportWords } from './report-words.ts'
import { type Category, categories } from './search.ts'
import { SeverityChoice, useSuggestion } from './severity-choice.tsx'
import { Similar } from './similar.tsx'
import type { usePhotos } from './use-photos.ts'
import type { useReport } from './use-report.ts'
import type { RefusedFile } from './use-sending.ts'
import { useDeviationWords } from './words.ts'

interface Props {
  state: ReturnType<typeof useReport>
  photos: ReturnType<typeof usePhotos>
  /** Why the service did not take it, or one of its files. */
  error: Problem | null
  refusedFile: RefusedFile | undefined
  onLeave: () => void
}

/** What is wrong with these is said at their place. */
const shownFields = [
  ...['title', 'description', 'severity', 'severity_decision', 'severity_reason', 'category', 'department'],
  ...['occurred_at', 'detected_at', 'late_report_reason', 'affected_items', 'immediate_action'],
  ...['form_template_id', 'form_data', 'attachment_ids'],
]

/** In the order in which somebody tells it who stands beside the line. */
export function ReportForm({ state, photos, error, refusedFile, onLeave }: Props) {
  const w = useReportWords()
  const deviations = useDeviationWords()
  const { report, change, forget } = state
  const [tries, setTries] = useState(0)
  const isTried = tries > 0
  const suggestion = useSuggestion(report.description)
  const templates = useQuery({
    ...ask('GET /api/deviations/form-templates/', { query: { is_active: true, page_size: 100, sort: 'name:asc' } }),
    staleTime: 10 * 60_000,
  })
  const first = templates.data?.items.find(({ is_default }) => is_default)
  const chosen = report.template ?? (first ? String(first.id) : '')
  const template = chosen ? Number(chosen) : undefined
  const schema = useQuery(schemaOf(template))
  const form = useFocusOnWrong(tries, error)
  const [isDiscarding, setDiscarding] = useState(false)
  const isBegun = report.description.trim() !== '' || photos.files.length > 0
  const discard = () => {
    void photos.drop()
    forget()
    onLeave()
  }
  const elsewhere = error?.beside(shownFields)

  const now = serviceNow()
  const missing = missingIn(report, suggestion, now)
  const late = isLate(report.detected_at, now) || error?.of('late_report_reason') !== undefined
  const wrong = (field: string) =>
    error?.of(field) ?? (isTried && missing.some(each => each === field) ? w.missing[field as 'title'] : undefined)

  const send = () => {
    setTries(tries + 1)
    if (missing.length === 0)
      change({ phase: 'waiting', body: bodyOf({ ...report, template: chosen }, suggestion, schema.data) })
  }
  const bind = bindingOf(report, change)
  return (
    <Form ref={form} className={styles.form} onSend={send} noValidate>
      <Field
        label={w.what}
        hint={w.whatHint}
        rows={5}
        isRequired
        {...bind('description')}
        wrong={wrong('description')}
      />
      <Similar text={report.description} />
      <Field
        label={w.titleField}
        isRequired
        maxLength={500}
        value={titleOf(report)}
        onChange={title => change({ title, isTitled: title !== '' })}
        wrong={wrong('title')}
      />
      <div className={styles.pair}>
        <Field
          label={w.noticed}
          type="datetime-local"
          isRequired
          {...bind('detected_at')}
          wrong={wrong('detected_at')}
        />
        <Field
          label={w.happened}
          hint={w.happenedHint}
          type="datetime-local"
          {...bind('occurred_at')}
          wrong={wrong('occurred_at')}
        />
      </div>
      {late && (
        <Field
          label={w.late(lateAfterHours)}
          rows={2}
          isRequired
          {...bind('late_report_reason')}
          wrong={wrong('late_report_reason')}
        />
      )}
      <div className={styles.pair}>
        <DepartmentField label={w.where} {...bind('department')} wrong={wrong('department')} />
        <Select
          label={deviations.category}
          placeholder={deviations.choose}
          options={categories.map(id => ({ id, name: deviations.categories[id] }))}
          value={report.category}
          onChange={category => change({ category: category as Category })}
          wrong={wrong('category')}
        />
      </div>
      <AffectedItems
        items={report.items}
        onChange={items => change({ items })}
        wrong={error?.within('affected_items')}
      />
      <Field
        label={w.atOnce}
        hint={w.atOnceHint}
        rows={3}
        {...bind('immediate_action')}
        wrong={wrong('immediate_action')}
      />
      <Photos of={photos} refused={refusedFile} wrong={wrong('attachment_ids')} />
      <SeverityChoice
        suggestion={suggestion}
        value={report.severity}
        reason={report.severity_reason}
        onChange={change}
        wrong={wrong('severity') ?? wrong('severity_decision')}
        wrongReason={wrong('severity_reason')}
      />
      {(templates.data?.items.length ?? 0) > 0 && (
        <Select
          label={w.form}
          hint={w.formHint}
          options={[
            ...(first ? [optionOf(first)] : []),
            { id: 'none', name: w.noForm },
            ...templates.data!.items.filter(each => each !== first).map(optionOf),
          ]}
          value={chosen || 'none'}
          onChange={next => change({ template: next === 'none' ? '' : next, form: {} })}
          wrong={wrong('form_template_id')}
        />
      )}
      {template !== undefined && (
        <FormFields
          template={template}
          values={report.form}
          onChange={next => change({ form: next })}
          problem={error}
        />
      )}
      {elsewhere && <Refused>{elsewhere}</Refused>}
      {error && error.issues.length === 0 && !error.isPassing && <Refused error={error} />}
      <footer className={styles.buttons}>
        <p className="soft">{w.keptAsDraft}</p>
        <Button onPress={() => (isBegun ? setDiscarding(true) : discard())}>{w.discard}</Button>
        <Button type="submit" look="main">
          {w.submit}
        </Button>
      </footer>
      <Dialog isOpen={isDiscarding} onClose={() => setDiscarding(false)} title={w.discardTitle}>
        <p>{w.discardText}</p>
        <DialogButtons>
          <Button onPress={() => setDiscarding(false)}>{w.goOn}</Button>
          <Button look="danger" onPress={discard}>
            {w.discard}
          </Button>
        </DialogButtons>
      </Dialog>
    </Form>
  )
}

type Template = Answer<'GET /api/deviations/form-templates/'>['items'][number]
const optionOf = ({ id, name, description }: Template) => ({
  id: String(id),
  name,
  detail: description ?? undefined,
})

interface DepartmentProps {
  label: string
  value: string
  onChange: (value: string) => void
  wrong?: string | undefined
}

export function DepartmentField({ value, ...others }: DepartmentProps) {
  const q = useLater(value.trim(), 200)
  const { data } = useQuery(
    askPage('GET /api/deviations/values', { query: { field: 'department', ...(q && { q: q.slice(0, 100) }) } }),
  )
  return <ValueField used={data?.items ?? []} value={value} {...others} />
}
