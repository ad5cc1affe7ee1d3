import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { canTake, isOffered, whyNotOf } from '../../records/allowed.ts'
import { FactList } from '../../records/fact-list.tsx'
import { StoreButtons } from '../../records/store-buttons.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useMe } from '../session/session.ts'
import { type Batch, isOpen } from './batch.ts'
import type { StepProps } from './import-page.tsx'
import styles from './imports.module.css'
import { NextLink } from './next-link.tsx'
import { useImportWords } from './words.ts'

const dateFormats = [
  ...(['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD-MM-YYYY', 'YYYY/MM/DD', 'YYYYMMDD'] as const),
] as const
/** The last day of March: none of its parts can be taken for another. */
const exampleOf = (format: string) => format.replace('YYYY', '2024').replace('MM', '03').replace('DD', '31')

type Settings = Batch['settings']

export function DescribeStep({ batch, go }: StepProps) {
  const { describe: w } = useImportWords()
  const whyNot = whyNotOf(batch.you, 'update')
  return (
    <>
      <p className="soft">{w.about}</p>
      {canTake(batch.you, 'update') ? (
        <DescribeForm batch={batch} />
      ) : (
        <>
          {isOffered(batch.you, 'update') && isOpen(batch) && <p className="soft">{whyNot}</p>}
          <Described batch={batch} />
        </>
      )}
      <NextLink batch={batch} here="describe" go={go} />
    </>
  )
}

function Described({ batch: { title, source_system, settings } }: { batch: Batch }) {
  const { describe: w, create, row } = useImportWords()
  return (
    <FactList
      facts={[
        [create.name, title],
        [create.source, source_system],
        [w.keep, settings.keep_numbers ? w.keepYes : w.keepNo],
        [w.closed, settings.closed_cases === 'records' ? w.closedRecords : w.closedDocuments],
        [w.dates, exampleOf(settings.date_format)],
        [w.training, settings.training_counts ? row.yes : row.no],
      ]}
    />
  )
}

function DescribeForm({ batch }: { batch: Batch }) {
  const { describe: w, create } = useImportWords()
  const me = useMe()
  const client = useQueryClient()
  const { id, title, source_system, settings, status, revision } = batch
  const { keep_numbers, training_counts, closed_cases, date_format } = settings
  const { fields, change, forget, isTyped } = useFormDraft(`import ${id} ${me.id}`, {
    ...{ title, source_system, keep_numbers, training_counts, closed_cases, date_format },
  })
  const { mutate, isPending, error, reset } = useMutation<Answer<'PUT /api/migrations/{id}'>, Problem>({
    mutationFn: () => {
      const { title: named, source_system: source, ...chosen } = fields
      return call('PUT /api/migrations/{id}', {
        path: { id },
        body: { title: named.trim(), source_system: source.trim(), settings: chosen, revision },
      })
    },
    onSuccess: () => {
      forget()
      announce(w.saved)
    },
    onSettled: () => refresh(client, 'migrations/'),
  })
  const save = () => {
    if (!isPending && fields.title.trim() !== '' && fields.source_system.trim() !== '') mutate()
  }
  const bind = bindingOf(fields, change)
  return (
    <Form className={styles.form} onSend={save} noValidate>
      <Field
        label={create.name}
        hint={create.nameHint}
        isRequired
        maxLength={200}
        {...bind('title')}
        wrong={error?.of('title') ?? (fields.title.trim() === '' ? create.nameMissing : undefined)}
      />
      <Field
        label={create.source}
        hint={create.sourceHint}
        isRequired
        maxLength={200}
        {...bind('source_system')}
        wrong={error?.of('source_system') ?? (fields.source_system.trim() === '' ? create.sourceMissing : undefined)}
      />
      <Choice
        label={w.keep}
        options={[
          { id: 'keep', name: w.keepYes, detail: w.keepYesHint },
          { id: 'new', name: w.keepNo, detail: w.keepNoHint },
        ]}
        value={fields.keep_numbers ? 'keep' : 'new'}
        onChange={next => change({ keep_numbers: next === 'keep' })}
      />
      <Select
        label={w.dates}
        hint={w.datesHint}
        options={dateFormats.map(each => ({ id: each, name: exampleOf(each), detail: each }))}
        value={fields.date_format}
        onChange={next => change({ date_format: next as Settings['date_format'] })}
        wrong={error?.of('date_format')}
      />
      <Choice
        label={w.closed}
        options={[
          { id: 'records', name: w.closedRecords, detail: w.closedRecordsHint },
          { id: 'documents', name: w.closedDocuments, detail: w.closedDocumentsHint },
        ]}
        {...bind('closed_cases')}
      />
      <Checkbox
        isSelected={fields.training_counts}
        onChange={next => change({ training_counts: next })}
        detail={w.trainingHint}
      >
        {w.training}
      </Checkbox>
      {error && error.issues.length === 0 && (
        <Refused error={error}>{error.status === 409 ? w.changed : undefined}</Refused>
      )}
      {isTyped && status !== 'staging' && <p className={styles.warning}>{w.reset}</p>}
      {isTyped && (
        <StoreButtons
          kept={w.kept}
          leave={w.leave}
          onLeave={() => {
            reset()
            forget()
          }}
          store={w.save}
          isPending={isPending}
        />
      )}
    </Form>
  )
}
