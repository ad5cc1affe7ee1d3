import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CircleAlert, CornerDownRight, Heading, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { isProposal, type Proposal, Proposed } from '../../records/dialogs/change-proposed.tsx'
import { OrderedList } from '../../records/fields/ordered-list.tsx'
import { RecordFormEnd } from '../../records/record-form.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFocusOnWrong } from '../../ui/use-focus-on-wrong.ts'
import { useFormat, useWords } from '../../words/index.ts'
import {
  type DraftField,
  dropped,
  type Fault,
  type FormTemplate,
  fieldsIn,
  fieldsOf,
  hangingOn,
  isAtEnd,
  newField,
  newSection,
  type Row,
  rowsOf,
  sectionsIn,
  sectionsOf,
  shifted,
} from './draft.ts'
import { FaultText } from './fault-text.tsx'
import styles from './forms.module.css'
import { RowProperties } from './row-properties.tsx'
import type { FormDraft } from './use-form.ts'
import { useNarrow } from './use-narrow.ts'
import { useFormWords } from './words.ts'

interface Props {
  draft: FormDraft
  template: FormTemplate | undefined
  onProposed: ((change: Proposal) => void) | undefined
}

/** Where a form is written: its lines, and beside them what there is to say about the chosen one. */
export function FormBuilder({ draft, template, onProposed }: Props) {
  const w = useFormWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const isNarrow = useNarrow()
  const { fields, change, forget, sections, faults, isChecked } = draft
  const { rows } = fields
  const [chosen, setChosen] = useState<string>()
  const [removing, setRemoving] = useState<Row>()
  const [isTried, setTried] = useState(false)
  const [proposed, setProposed] = useState<Proposal>()
  const { mutate, isPending, error, reset } = useMutation<FormTemplate, Problem>({
    mutationFn: () => {
      const body = { name: fields.name.trim(), description: fields.description.trim() || null, sections }
      const change_reason = fields.change_reason.trim()
      return template
        ? call('PUT /api/deviations/form-templates/{id}', {
            path: { id: template.id },
            body: { ...body, revision: fields.revision, ...(change_reason && { change_reason }) },
          })
        : call('POST /api/deviations/form-templates/', { body })
    },
    onSuccess: async answer => {
      forget()
      if (isProposal(answer)) {
        onProposed?.(answer)
        if (!template) setProposed(answer)
        return refresh(client, 'configuration-changes')
      }
      announce(template ? w.saved(answer.name) : w.created(answer.name))
      await refresh(client, 'deviations/form-templates')
      if (!template) void navigate({ to: '/admin/forms/$id', params: { id: answer.id } })
    },
    onError: ({ status }) => {
      setTried(true)
      if (status === 409) void refresh(client, 'deviations/form-templates')
    },
  })
  const nameMissing = fields.name.trim() === ''
  // A text that is still being typed is not wrong yet.
  const shown = faults.filter(({ row, place }) => isTried || row !== chosen || (place !== 'label' && place !== 'title'))
  const row = rows.find(({ id }) => id === chosen)
  const put = (next: Row) => change({ rows: rows.map(each => (each.id === next.id ? next : each)) })
  const add = (next: Row) => {
    const at = row ? rows.indexOf(row) + 1 : rows.length
    // A section begins after the one that it is added in.
    const end = rows.findIndex((each, index) => index >= at && each.kind === 'section')
    const place = next.kind === 'field' ? at : end === -1 ? rows.length : end
    change({ rows: [...rows.slice(0, place), next, ...rows.slice(place)] })
    setChosen(next.id)
  }
  const remove = (gone: Row) => {
    const goes = new Set(gone.kind === 'section' ? [gone, ...fieldsOf(rows, gone)] : [gone])
    const ids = new Set([...goes].map(({ id }) => id))
    const rest = rows
      .filter(each => !goes.has(each))
      .map(each => (each.kind === 'field' && each.when && ids.has(each.when.field) ? { ...each, when: null } : each))
    // Without a heading before them, fields would be in no section.
    change({ rows: rest })
    if (chosen !== undefined && ids.has(chosen)) setChosen(undefined)
    setRemoving(undefined)
  }
  const askToRemove = (gone: Row) => {
    const isPlain = gone.kind === 'field' ? hangingOn(rows, gone.id).length === 0 : fieldsOf(rows, gone).length === 0
    const isOnlySection = gone.kind === 'section' && sectionsIn(rows).length === 1
    if (isPlain && !isOnlySection) remove(gone)
    else setRemoving(gone)
  }
  const form = useFocusOnWrong(isTried, error)
  const send = () => {
    setTried(true)
    // What is not checked yet is checked by the service as it is stored.
    if (isChecked && faults.length > 0) setChosen(faults[0]!.row)
    else if (!isPending && !nameMissing) mutate()
  }
  const properties = row && (
    <RowProperties
      key={row.id}
      row={row}
      rows={rows}
      faults={shown.filter(each => each.row === row.id)}
      onChange={put}
    />
  )
  if (proposed) return <Proposed of={proposed} />
  const isChanged = !template || JSON.stringify(sections) !== JSON.stringify(sectionsOf(rowsOf(template.sections)))
  const bind = bindingOf(fields, change)
  return (
    <Form ref={form} className={styles.builder} onSend={send} noValidate>
      <div className={styles.main}>
        <div className={styles.about}>
          <Field
            label={w.name}
            hint={w.nameHint}
            isRequired
            maxLength={120}
            {...bind('name')}
            wrong={error?.of('name') ?? (isTried && nameMissing ? w.nameMissing : undefined)}
          />
          <Field
            label={w.description}
            hint={w.descriptionHint}
            rows={2}
            maxLength={2000}
            {...bind('description', error)}
          />
        </div>
        <section className={styles.lines} aria-labelledby="lines">
          <h2 id="lines">{w.lines}</h2>
          <p className="soft">{w.linesHint}</p>
          <OrderedList
            label={w.lines}
            items={rows}
            keyOf={({ id }) => id}
            nameOf={each => nameOf(each) || w.untitled}
            onOrder={next => change({ rows: next })}
            moves={{
              onDrop: (id, target, isAfter) => change({ rows: dropped(rows, id, target, isAfter) }),
              onShift: (each, by) => change({ rows: shifted(rows, each, by) }),
              isAtEnd: (each, by) => isAtEnd(rows, each, by),
            }}
            onEdit={({ id }) => setChosen(id)}
            onRemove={askToRemove}
          >
            {each => (
              <Line
                row={each}
                rows={rows}
                isChosen={each.id === chosen}
                faults={shown.filter(fault => fault.row === each.id)}
                onChoose={() => setChosen(each.id)}
              />
            )}
          </OrderedList>
          <div className="row">
            <Button icon={Plus} onPress={() => add(newField())}>
              {w.addField}
            </Button>
            <Button icon={Heading} onPress={() => add(newSection())}>
              {w.addSection}
            </Button>
          </div>
        </section>
        {template && <Field label={w.reason} hint={w.reasonHint} rows={2} {...bind('change_reason', error)} />}
        {isTried && shown.length > 0 && (
          <Refused>
            <p>{w.faults(shown.length)}</p>
            <FaultLinks faults={shown} rows={rows} onGo={setChosen} />
          </Refused>
        )}
        <RecordFormEnd
          record={template}
          draft={draft}
          overtaken={w.overtaken}
          error={error}
          onGoOn={revision => {
            change({ revision })
            reset()
          }}
          onLeave={() => {
            forget()
            reset()
            setTried(false)
            setChosen(undefined)
            if (!template) void navigate({ to: '/admin/forms' })
          }}
          store={!template ? w.createIt : isChanged ? w.save(template.version + 1) : w.saveOther}
          isPending={isPending}
        />
      </div>
      {!isNarrow && (
        <aside className={styles.side} aria-label={row?.kind === 'section' ? w.sectionForm.title : w.field.title}>
          {row && <h3>{row.kind === 'section' ? w.sectionForm.title : w.field.title}</h3>}
          {properties ?? (
            <div className={styles.noRow}>
              <b>{w.field.none}</b>
              <p>{w.field.noneHint}</p>
            </div>
          )}
        </aside>
      )}
      {isNarrow && row && (
        <Dialog
          isOpen
          onClose={() => setChosen(undefined)}
          title={row.kind === 'section' ? w.sectionForm.title : w.field.title}
          about={nameOf(row) || undefined}
        >
          {properties}
          <DialogButtons>
            <Button look="main" onPress={() => setChosen(undefined)}>
              {w.field.done}
            </Button>
          </DialogButtons>
        </Dialog>
      )}
      {removing && <Removal row={removing} rows={rows} onRemove={remove} onClose={() => setRemoving(undefined)} />}
    </Form>
  )
}

const nameOf = (row: Row) => (row.kind === 'section' ? row.title : row.label)

interface LineProps {
  row: Row
  rows: readonly Row[]
  isChosen: boolean
  faults: Fault[]
  onChoose: () => void
}

/** A line of the form: what it is called, what it is, when it is shown, and what is wrong with it. */
function Line({ row, rows, isChosen, faults, onChoose }: LineProps) {
  const w = useFormWords()
  const name = nameOf(row)
  return (
    <div className={row.kind === 'section' ? styles.sectionLine : styles.fieldLine}>
      <AriaButton className={styles.choose!} aria-pressed={isChosen} onPress={onChoose}>
        <span className={name ? '' : 'soft'}>{name || w.untitled}</span>
        {row.kind === 'field' ? (
          <span className={styles.kind}>
            {w.types[row.type]}
            {row.required && ` · ${w.required}`}
          </span>
        ) : (
          <span className={styles.kind}>{w.section}</span>
        )}
      </AriaButton>
      {row.kind === 'field' && row.when && (
        <p className={styles.when}>
          <CornerDownRight size={14} aria-hidden="true" />
          {whenOf(rows, row, w)}
        </p>
      )}
      {faults.map(fault => (
        <p key={`${fault.place} ${fault.code}`} className={styles.fault}>
          <CircleAlert size={14} aria-hidden="true" />
          <FaultText of={fault} />
        </p>
      ))}
    </div>
  )
}

/** The condition of a field as a sentence. */
function whenOf(rows: readonly Row[], { when }: DraftField, w: ReturnType<typeof useFormWords>): string {
  const other = fieldsIn(rows).find(({ id }) => id === when?.field)
  const option = other?.options.find(({ id }) => id === when?.option)
  return other && option ? w.shownWhen(other.label, option.label) : w.brokenCondition
}

interface FaultLinksProps {
  faults: Fault[]
  rows: readonly Row[]
  onGo: (row: string) => void
}

function FaultLinks({ faults, rows, onGo }: FaultLinksProps) {
  const w = useFormWords()
  const ids = [...new Set(faults.map(({ row }) => row))]
  return (
    <ul className={styles.faultLinks}>
      {ids.map(id => {
        const row = rows.find(each => each.id === id)
        return (
          row && (
            <li key={id}>
              <Button look="quiet" onPress={() => onGo(id)}>
                {w.toFault(nameOf(row) || w.untitled)}
              </Button>
            </li>
          )
        )
      })}
    </ul>
  )
}

interface RemovalProps {
  row: Row
  rows: readonly Row[]
  onRemove: (row: Row) => void
  onClose: () => void
}

/** What else goes, or changes, with a line. */
function Removal({ row, rows, onRemove, onClose }: RemovalProps) {
  const { common } = useWords()
  const w = useFormWords()
  const { list } = useFormat()
  const gone = row.kind === 'section' ? fieldsOf(rows, row) : [row]
  const hanging = gone.flatMap(({ id }) => hangingOn(rows, id)).filter(each => !gone.includes(each))
  const isOnlySection = row.kind === 'section' && sectionsIn(rows).length === 1
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={row.kind === 'section' ? w.removal.sectionTitle : w.removal.title}
      about={nameOf(row)}
    >
      {isOnlySection ? (
        <p>{w.lastSection}</p>
      ) : (
        <>
          {row.kind === 'section' && gone.length > 0 && <p>{w.removal.fields(gone.length)}</p>}
          {hanging.length > 0 && <p>{w.removal.hanging(list(hanging.map(({ label }) => label || w.untitled)))}</p>}
        </>
      )}
      <DialogButtons>
        <Button onPress={onClose}>{common.cancel}</Button>
        {!isOnlySection && (
          <Button look="danger" onPress={() => onRemove(row)}>
            {w.removal.submit}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  )
}
