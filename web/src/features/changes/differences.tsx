import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { useShownPattern } from '../../records/fields/pattern-field.tsx'
import type { Definition, Names } from '../../records/workflow/definition.ts'
import { definitionInWords, differencesInWords } from '../../records/workflow/sentences.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { useMe } from '../session/session.ts'
import styles from './changes.module.css'
import { beyond, changedItems, inWords, isList, isNothing, itemsInWords } from './values.ts'
import { useChangesWords } from './words.ts'

type Change = Answer<'GET /api/configuration-changes/{id}'>

/** They follow from the others. */
const implied = [
  'is_builtin',
  'is_system',
  'user_count',
  'origins',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
]

/** What a change changes, field by field and in words. */
export function Differences({ of: change }: { of: Change }) {
  const w = useChangesWords()
  const sentences = useWorkflowSentences()
  const patternOf = useShownPattern()
  const { permissions } = useMe()
  const { data: known } = useQuery({
    ...ask('GET /api/permissions/', {}),
    enabled: change.kind === 'role' && permissions.includes('roles.read'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const described = new Map(known?.items.map(each => [each.name, each.description]))
  const reading = {
    w,
    permissionOf: (name: string) => described.get(name) ?? name.replaceAll(/[._]/g, ' '),
    programs: change.names.training_programs ?? {},
    patternOf,
  }
  const names: Names = { users: change.names.users ?? {}, groups: change.names.groups ?? {} }
  const lineOf = (field: string, from: unknown, to: unknown): ReactNode => {
    if (field === 'definition' && to !== null) {
      const [before, after] = [from as Definition | null, to as Definition]
      return (
        <Sentences
          of={before ? differencesInWords(before, after, names, sentences) : definitionInWords(after, names, sentences)}
        />
      )
    }
    if (isList(from) || isList(to)) {
      const [before, after] = [itemsInWords(field, from, reading), itemsInWords(field, to, reading)]
      const said = [
        ...beyond(after, before).map(w.added),
        ...changedItems(field, from, to, reading).map(w.changed),
        ...beyond(before, after).map(w.removed),
      ]
      return <Sentences of={said.length > 0 ? said : [w.inOtherOrder]} />
    }
    return undefined
  }
  const fields = Object.entries(change.changes).filter(
    ([field, { from, to }]) => !implied.includes(field) && !(isNothing(from) && isNothing(to)),
  )
  return (
    <table className={styles.differences}>
      <caption className="visually-hidden">{w.changes}</caption>
      <thead>
        <tr>
          <th scope="col">{w.field}</th>
          <th scope="col">{w.before}</th>
          <th scope="col">{w.after}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(([field, { from, to }]) => {
          const whole = lineOf(field, from, to)
          return (
            <tr key={field}>
              <th scope="row">{w.fields[field] ?? field.replaceAll('_', ' ')}</th>
              {whole ? (
                <td colSpan={2}>{whole}</td>
              ) : (
                <>
                  <td data-label={w.before} className={styles.from}>
                    {inWords(field, from, reading)}
                  </td>
                  <td data-label={w.after}>{inWords(field, to, reading)}</td>
                </>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const Sentences = ({ of: sentences }: { of: string[] }) => (
  <ul className={styles.sentences}>
    {sentences.map(each => (
      <li key={each}>{each}</li>
    ))}
  </ul>
)
