import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Table2 } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { canTake, isOffered, whyNotOf } from '../../records/allowed.ts'
import { StoreButtons } from '../../records/store-buttons.tsx'
import { Form } from '../../ui/form.tsx'
import { Empty, Refused } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useMe } from '../session/session.ts'
import type { Batch, Sheet } from './batch.ts'
import type { StepProps } from './import-page.tsx'
import styles from './imports.module.css'
import { NextLink } from './next-link.tsx'
import { useImportWords } from './words.ts'

type Chosen = Batch['settings']['columns']
type ColumnOfSheet = Sheet['columns'][number]

const byName = 'name'
const leftOut = 'none'
const headingPrefix = 'heading:'

export function ColumnsStep({ batch, search, go }: StepProps) {
  const { columns: w, sheets: names } = useImportWords()
  const { sheets, you } = batch
  const here = useRef<HTMLAnchorElement>(null)
  const sheet =
    sheets.find(({ name }) => name === search.sheet) ?? sheets.find(each => each.missing.length > 0) ?? sheets[0]
  // On a telephone not all tabs are in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another sheet is shown
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [sheet?.name])
  if (!sheet)
    return (
      <Empty icon={Table2} title={w.none}>
        <p>{w.noneHint}</p>
      </Empty>
    )
  return (
    <>
      <p className="soft">{w.about}</p>
      {!canTake(you, 'update') && isOffered(you, 'update') && <p className="soft">{whyNotOf(you, 'update')}</p>}
      <div className={styles.tabs}>
        <TabLinks label={w.sheets}>
          {sheets.map(({ name, missing }) => (
            <li key={name}>
              <Link
                from={paths.import}
                to={paths.import}
                params={{ id: String(batch.id) }}
                search={{ step: 'columns', sheet: name }}
                aria-current={name === sheet.name ? 'page' : undefined}
                {...(name === sheet.name && { ref: here })}
              >
                {names[name]}
                {missing.length > 0 && <span className={styles.count}>{w.missingOf(missing.length)}</span>}
              </Link>
            </li>
          ))}
        </TabLinks>
      </div>
      <SheetColumns key={sheet.name} batch={batch} sheet={sheet} />
      <NextLink batch={batch} here="columns" go={go} />
    </>
  )
}

function SheetColumns({ batch, sheet }: { batch: Batch; sheet: Sheet }) {
  const { columns: w, describe } = useImportWords()
  const me = useMe()
  const client = useQueryClient()
  const { id, settings, revision, status, you } = batch
  const before = settings.columns[sheet.name] ?? {}
  const { fields, change, forget, isTyped } = useFormDraft<{ chosen: Chosen[string] }>(
    `import columns ${id} ${sheet.name} ${me.id}`,
    { chosen: before },
  )
  const { chosen } = fields
  const { mutate, isPending, error, reset } = useMutation<Answer<'PUT /api/migrations/{id}'>, Problem>({
    mutationFn: () =>
      call('PUT /api/migrations/{id}', {
        path: { id },
        body: { settings: { columns: { ...settings.columns, [sheet.name]: chosen } }, revision },
      }),
    onSuccess: () => {
      forget()
      announce(w.saved)
    },
    onSettled: () => refresh(client, 'migrations/'),
  })
  const choose = (column: string, value: string) => {
    const { [column]: _before, ...others } = chosen
    if (value === byName) change({ chosen: others })
    else change({ chosen: { ...others, [column]: value === leftOut ? null : value.slice(headingPrefix.length) } })
  }
  const mayChange = canTake(you, 'update')
  const wrong = error?.within('columns')
  return (
    <Form className={styles.part} onSend={() => isPending || mutate()}>
      <ul className={styles.fields}>
        {sheet.columns.map(column => (
          <li key={column.name}>
            <div>
              <p>
                <b>{column.name}</b>
                <Mark column={column} sheet={sheet} choice={chosen[column.name]} />
              </p>
              <p className="soft">{column.help}</p>
            </div>
            {mayChange ? (
              <HeadingSelect
                sheet={sheet}
                column={column}
                choice={chosen[column.name]}
                wasChosen={before[column.name] !== undefined}
                onChange={value => choose(column.name, value)}
              />
            ) : (
              <p>{column.heading ?? <span className="soft">{w.notFound}</span>}</p>
            )}
          </li>
        ))}
      </ul>
      <p className={sheet.unread_headings.length > 0 ? styles.warning : 'soft'}>
        {sheet.unread_headings.length > 0 ? w.unread(sheet.unread_headings.join(', ')) : w.allRead}
      </p>
      {error && <Refused error={error}>{wrong ?? (error.status === 409 ? describe.changed : undefined)}</Refused>}
      {isTyped && status !== 'staging' && <p className={styles.warning}>{describe.reset}</p>}
      {isTyped && mayChange && (
        <StoreButtons
          kept={describe.kept}
          leave={describe.leave}
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

type Choice = string | null | undefined

/** The heading that the field would be read from; undefined for none. */
const headingOf = ({ heading, is_mapped_by_hand }: ColumnOfSheet, { headings }: Sheet, choice: Choice) =>
  choice === undefined
    ? is_mapped_by_hand
      ? undefined
      : (heading ?? undefined)
    : choice !== null && headings.includes(choice)
      ? choice
      : undefined

function Mark({ column, sheet, choice }: { column: ColumnOfSheet; sheet: Sheet; choice: Choice }) {
  const { columns: w } = useImportWords()
  // What was chosen by hand may be found by its name as well: that is known once it is saved.
  const isUnknown = choice === undefined && column.is_mapped_by_hand
  const isFound = isUnknown || headingOf(column, sheet, choice) !== undefined
  if (column.is_required && !isFound) return <span className={`${styles.tag} ${styles.tagBad}`}>{w.missing}</span>
  return (
    <>
      {column.is_required && <span className={styles.tag}>{w.required}</span>}
      {typeof choice === 'string' && <span className={styles.tag}>{w.byHand}</span>}
    </>
  )
}

interface HeadingProps {
  sheet: Sheet
  column: ColumnOfSheet
  choice: Choice
  wasChosen: boolean
  onChange: (value: string) => void
}

function HeadingSelect({ sheet, column, choice, wasChosen, onChange }: HeadingProps) {
  const { columns: w } = useImportWords()
  // What would be found by the name of a field that was chosen by hand is known once that is saved.
  const named = wasChosen
    ? { name: w.byName }
    : { name: column.heading ?? w.notFound, ...(column.heading !== null && { detail: w.foundByName }) }
  const isGone = typeof choice === 'string' && !sheet.headings.includes(choice)
  const headings = sheet.headings.filter(each => each !== '')
  const options = [
    { id: byName, ...named },
    ...headings
      .filter(each => wasChosen || each !== column.heading)
      .map(each => ({ id: headingPrefix + each, name: each })),
    ...(isGone ? [{ id: headingPrefix + choice, name: w.gone(choice) }] : []),
    ...(column.is_required ? [] : [{ id: leftOut, name: w.leaveOut }]),
  ]
  const value = choice === undefined ? byName : choice === null ? leftOut : headingPrefix + choice
  return <Select label={w.readFromOf(column.name)} options={options} value={value} onChange={onChange} />
}
