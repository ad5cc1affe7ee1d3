import { Part, Written } from '../../records/case/part.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { useImportedFacts } from '../../records/imported-facts.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { SeverityMark } from '../../ui/severity.tsx'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { AffectedItems } from './affected-items.tsx'
import { type Change, canEdit, caseOf, changedFrom, type Deviation, type EditablePart, save } from './deviation.ts'
import styles from './deviation-parts.module.css'
import { FormPart } from './form-part.tsx'
import { type AffectedItem, asLocal, asMoment } from './report.ts'
import { DepartmentField } from './report-form.tsx'
import { useReportWords } from './report-words.ts'
import { RootCausePart } from './root-cause-part.tsx'
import { type Category, categories, type Severity } from './search.ts'
import { SeverityChoice, useSuggestion } from './severity-choice.tsx'
import { useDeviationWords } from './words.ts'

/** The record, part by part, each of which is changed in its place. */
export function DeviationParts({ of: deviation }: { of: Deviation }) {
  const { severity, no_capa_reason, form_template_id } = deviation
  return (
    <>
      <ReportPart of={deviation} />
      <SeverityPart of={deviation} />
      <TextPart of={deviation} field="impact_assessment" name="impact" part="assessment" />
      <TextPart of={deviation} field="investigation" name="investigation" part="investigation" />
      <RootCausePart of={deviation} />
      {(severity === 'critical' || no_capa_reason !== null) && (
        <TextPart of={deviation} field="no_capa_reason" name="no-capa" part="assessment" />
      )}
      {form_template_id !== null && <FormPart of={deviation} />}
    </>
  )
}

export const useCanEdit = (deviation: Deviation, part: EditablePart) => canEdit(deviation, part, useMe())

interface TextProps {
  of: Deviation
  field: 'impact_assessment' | 'investigation' | 'no_capa_reason'
  name: string
  part: EditablePart
}

/** A part that is one text. */
function TextPart({ of: deviation, field, name, part }: TextProps) {
  const w = useDeviationWords()
  const { title, hint } = w.texts[field]
  return (
    <Part
      of={caseOf(deviation)}
      name={name}
      title={title}
      canEdit={useCanEdit(deviation, part)}
      before={{ text: deviation[field] ?? '' }}
      form={({ bind, problem }) => (
        <Field label={title} hint={hint} rows={6} autoFocus {...bind('text')} wrong={problem?.of(field)} />
      )}
      send={({ text }, sent) => save(deviation, { [field]: text.trim() || null }, sent)}
    >
      <Written text={deviation[field]} />
    </Part>
  )
}

interface ReportFields {
  title: string
  description: string
  category: Category | ''
  department: string
  occurred_at: string
  detected_at: string
  late_report_reason: string
  affected_items: AffectedItem[]
  immediate_action: string
}

const local = (iso: string | null) => (iso ? asLocal(new Date(iso)) : '')

const reportOf = (deviation: Deviation): ReportFields => ({
  title: deviation.title,
  description: deviation.description,
  category: deviation.category ?? '',
  department: deviation.department ?? '',
  occurred_at: local(deviation.occurred_at),
  detected_at: local(deviation.detected_at),
  late_report_reason: deviation.late_report_reason ?? '',
  affected_items: deviation.affected_items,
  immediate_action: deviation.immediate_action ?? '',
})

/** Only what somebody changed: a moment on the screen has no seconds, and would be another one. */
function reportChange(before: ReportFields, fields: ReportFields): Change {
  const { detected_at, occurred_at, affected_items, title, description, ...texts } = changedFrom(before, fields)
  return {
    ...(title !== undefined && { title: title.trim() }),
    ...(description !== undefined && { description: description.trim() }),
    ...(Object.fromEntries(
      Object.entries(texts)
        .filter(([name]) => name !== 'change_reason')
        .map(([name, text]) => [name, text.trim() || null]),
    ) as Change),
    ...(detected_at && { detected_at: asMoment(detected_at) }),
    ...(occurred_at !== undefined && { occurred_at: occurred_at ? asMoment(occurred_at) : null }),
    ...(affected_items && { affected_items: affected_items.filter(({ identifier }) => identifier.trim() !== '') }),
  }
}

function ReportPart({ of: deviation }: { of: Deviation }) {
  const w = useDeviationWords()
  const r = useReportWords()
  const before = reportOf(deviation)
  return (
    <Part
      of={caseOf(deviation)}
      name="report"
      title={w.reportPart}
      canEdit={useCanEdit(deviation, 'report')}
      before={before}
      isComplete={({ title, description, detected_at }) =>
        title.trim() !== '' && description.trim() !== '' && detected_at !== ''
      }
      form={({ bind, fields, change, problem, isTried }) => (
        <>
          <Field
            label={r.titleField}
            isRequired
            {...bind('title')}
            wrong={problem?.of('title') ?? (isTried && !fields.title.trim() ? r.missing.title : undefined)}
          />
          <Field
            label={r.what}
            rows={6}
            isRequired
            {...bind('description')}
            wrong={
              problem?.of('description') ?? (isTried && !fields.description.trim() ? r.missing.description : undefined)
            }
          />
          <div className={styles.pair}>
            <Field
              label={r.noticed}
              type="datetime-local"
              isRequired
              {...bind('detected_at')}
              wrong={problem?.of('detected_at') ?? (isTried && !fields.detected_at ? r.missing.detected_at : undefined)}
            />
            <Field label={r.happened} type="datetime-local" {...bind('occurred_at', problem)} />
            <DepartmentField label={r.where} {...bind('department', problem)} />
            <Select
              label={w.category}
              placeholder={w.choose}
              options={categories.map(id => ({ id, name: w.categories[id] }))}
              value={fields.category}
              onChange={category => change({ category: category as Category })}
              wrong={problem?.of('category')}
            />
          </div>
          <AffectedItems
            items={fields.affected_items}
            onChange={affected_items => change({ affected_items })}
            wrong={problem?.within('affected_items')}
          />
          <Field label={r.atOnce} rows={3} {...bind('immediate_action', problem)} />
          {(fields.late_report_reason || problem?.of('late_report_reason')) && (
            <Field label={w.lateReason} rows={2} {...bind('late_report_reason', problem)} />
          )}
        </>
      )}
      send={(fields, sent) => save(deviation, reportChange(before, fields), sent)}
    >
      <ReportShown of={deviation} />
    </Part>
  )
}

function ReportShown({ of: deviation }: { of: Deviation }) {
  const w = useDeviationWords()
  const r = useReportWords()
  const imported = useImportedFacts(deviation)
  const { moment } = useFormat()
  const { category, department, occurred_at, detected_at, late_report_reason, affected_items } = deviation
  return (
    <>
      <Written text={deviation.description} />
      <FactList
        facts={[
          [w.detected, moment(detected_at)],
          [w.occurred, occurred_at && moment(occurred_at)],
          [w.department, department],
          [w.category, category && w.categories[category]],
          [
            w.affected,
            affected_items.length > 0 && (
              <ul key="items">
                {affected_items.map(({ kind, identifier }) => (
                  <li key={`${kind} ${identifier}`}>
                    <span className="soft">{r.kinds[kind]}</span> {identifier}
                  </li>
                ))}
              </ul>
            ),
          ],
          [w.immediateAction, deviation.immediate_action],
          [w.lateReason, late_report_reason],
          ...imported,
        ]}
      />
    </>
  )
}

function SeverityPart({ of: deviation }: { of: Deviation }) {
  const w = useDeviationWords()
  const { severity, severity_decision, severity_reason, severity_suggestion, status } = deviation
  const canAssess = useCanEdit(deviation, 'severity')
  // It decides who signs the closure, so it stays while that is decided.
  const isFixed = status === 'pending_approval'
  return (
    <Part
      of={caseOf(deviation)}
      name="severity"
      title={w.severity}
      canEdit={canAssess && !isFixed}
      before={{ severity: severity as Severity, severity_reason: severity_reason ?? '' }}
      form={({ fields, change, problem }) => (
        <SeverityFields
          description={deviation.description}
          fields={fields}
          onChange={change}
          wrong={problem?.of('severity') ?? problem?.of('severity_decision') ?? problem?.of('severity_reason')}
          wrongReason={problem?.of('severity_reason')}
        />
      )}
      send={({ decision, severity: chosen, severity_reason: reason }: SeverityFieldsShape, sent) =>
        save(
          deviation,
          {
            severity: chosen,
            ...(decision && { severity_decision: decision }),
            severity_reason: reason.trim() || null,
          },
          sent,
        )
      }
    >
      <p className={styles.decided}>
        <SeverityMark of={severity} />
        {severity_decision && <span className="soft">{w.decisions[severity_decision]}</span>}
      </p>
      {severity_suggestion && <p className="soft">{w.suggestedThen(severity_suggestion.rationale)}</p>}
      {severity_reason && <Written text={severity_reason} />}
    </Part>
  )
}

interface SeverityFieldsShape {
  severity: Severity
  severity_reason: string
  decision?: 'accepted' | 'overridden'
}

interface SeverityFieldsProps {
  description: string
  fields: SeverityFieldsShape
  onChange: (change: Partial<SeverityFieldsShape>) => void
  wrong: string | undefined
  wrongReason: string | undefined
}

function SeverityFields({ description, fields, onChange, wrong, wrongReason }: SeverityFieldsProps) {
  const suggestion = useSuggestion(description)
  const decide = (change: { severity?: Severity; severity_reason?: string }) => {
    const severity = change.severity ?? fields.severity
    const decision = suggestion && (suggestion.by_rules.severity === severity ? 'accepted' : 'overridden')
    onChange({ ...change, ...(decision && { decision }) })
  }
  return (
    <SeverityChoice
      suggestion={suggestion}
      value={fields.severity}
      reason={fields.severity_reason}
      onChange={decide}
      wrong={wrong}
      wrongReason={wrongReason}
    />
  )
}
