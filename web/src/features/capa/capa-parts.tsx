import { canTake } from '../../records/allowed.ts'
import { Part, Written } from '../../records/case/part.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { useImportedFacts } from '../../records/imported-facts.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { priorities } from '../../ui/severities.ts'
import { PriorityMark } from '../../ui/severity.tsx'
import { useWords } from '../../words/index.ts'
import { useReportWords } from '../deviations/report-words.ts'
import { type Capa, type Change, caseOf, save, youOf } from './capa.ts'
import styles from './capa-parts.module.css'
import { sources, types } from './search.ts'
import { useCapaWords } from './words.ts'

export function CapaParts({ of: capa }: { of: Capa }) {
  return (
    <>
      <DescriptionPart of={capa} />
      <TextPart of={capa} field="root_cause" name="cause" />
      <TextPart of={capa} field="adverse_effect_assessment" name="adverse" />
    </>
  )
}

interface TextProps {
  of: Capa
  field: 'root_cause' | 'adverse_effect_assessment'
  name: string
}

/** A part that is one text. */
function TextPart({ of: capa, field, name }: TextProps) {
  const w = useCapaWords()
  const { title, hint } = w.texts[field]
  return (
    <Part
      of={caseOf(capa)}
      name={name}
      title={title}
      canEdit={canTake(youOf(capa), 'update')}
      before={{ text: capa[field] ?? '' }}
      form={({ bind, problem }) => (
        <Field label={title} hint={hint} rows={5} autoFocus {...bind('text')} wrong={problem?.of(field)} />
      )}
      send={({ text }, sent) => save(capa, { [field]: text.trim() || null }, sent)}
    >
      <Written text={capa[field]} />
    </Part>
  )
}

function DescriptionPart({ of: capa }: { of: Capa }) {
  const w = useCapaWords()
  const { priorities: priorityNames } = useWords()
  const report = useReportWords()
  const imported = useImportedFacts(capa)
  const { title, description, type, source, priority } = capa
  return (
    <Part
      of={caseOf(capa)}
      name="description"
      title={w.description}
      canEdit={canTake(youOf(capa), 'update')}
      before={{ title, description, type: type as string, source: source as string, priority: priority as string }}
      isComplete={fields => fields.title.trim() !== '' && fields.description.trim() !== ''}
      form={({ bind, fields, problem, isTried }) => (
        <>
          <Field
            label={report.titleField}
            isRequired
            {...bind('title')}
            wrong={problem?.of('title') ?? (isTried && !fields.title.trim() ? report.missing.title : undefined)}
          />
          <Field
            label={w.description}
            rows={5}
            isRequired
            {...bind('description')}
            wrong={
              problem?.of('description') ?? (isTried && !fields.description.trim() ? w.missing.description : undefined)
            }
          />
          <div className={styles.three}>
            <Select label={w.type} options={types.map(id => ({ id, name: w.types[id] }))} {...bind('type', problem)} />
            <Select
              label={w.source}
              options={sources.map(id => ({ id, name: w.sources[id] }))}
              {...bind('source', problem)}
            />
            <Select
              label={w.priority}
              options={priorities.map(id => ({ id, name: priorityNames[id] }))}
              {...bind('priority', problem)}
            />
          </div>
        </>
      )}
      send={(fields, sent) =>
        save(
          capa,
          {
            title: fields.title.trim(),
            description: fields.description.trim(),
            type: fields.type,
            source: fields.source,
            priority: fields.priority,
          } as Change,
          sent,
        )
      }
    >
      <Written text={description} />
      <FactList
        facts={[
          [w.type, w.types[type]],
          [w.source, w.sources[source]],
          [w.priority, <PriorityMark key="priority" of={priority} />],
          ...imported,
        ]}
      />
    </Part>
  )
}
