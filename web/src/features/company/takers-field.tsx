import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { ask, askAll } from '../../api/queries.ts'
import { PersonField } from '../../records/fields/person-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Loading } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import styles from './company.module.css'
import type { Values } from './settings.ts'
import { useCompanyWords } from './words.ts'

type Rule = Values['report_takers'][number]

interface Props {
  value: Rule[]
  onChange: (value: Rule[]) => void
  wrong: string | undefined
}

/** To whom a report goes: the first rule that fits. */
export function TakersField({ value, onChange, wrong }: Props) {
  const {
    settings: { takers: w },
  } = useCompanyWords()
  const { data: groups = [] } = useQuery(askAll('GET /api/groups/', {}))
  // A key for each rule while it is moved about, because rules have no name.
  const id = useId()
  const [keys, setKeys] = useState(() => value.map((_, index) => `${id}${index}`))
  const put = (index: number, rule: Rule) => onChange(value.map((each, at) => (at === index ? rule : each)))
  return (
    <div className={styles.rules}>
      <p className="soft">{w.order}</p>
      {value.map((rule, index) => (
        <fieldset key={keys[index]}>
          <legend>{w.rule(index + 1)}</legend>
          <Button
            look="icon"
            label={w.remove(index + 1)}
            icon={Trash2}
            onPress={() => {
              setKeys(keys.filter((_, at) => at !== index))
              onChange(value.filter((_, at) => at !== index))
            }}
          />
          <Field
            label={w.department}
            hint={w.departmentHint}
            value={rule.department ?? ''}
            onChange={department => {
              const { department: _, ...rest } = rule
              put(index, department === '' ? rest : { ...rest, department })
            }}
          />
          <Select
            label={w.reporters}
            options={[
              { id: '-', name: w.anyReporter },
              ...groups.map(each => ({ id: String(each.id), name: each.name })),
            ]}
            value={String(rule.reporter_group_id ?? '-')}
            onChange={group => {
              const { reporter_group_id: _, ...rest } = rule
              put(index, group === '-' ? rest : { ...rest, reporter_group_id: Number(group) })
            }}
          />
          <Choice
            label={w.taker}
            options={[
              { id: 'person', name: w.person },
              { id: 'group', name: w.group },
            ]}
            value={rule.group_id === undefined ? 'person' : 'group'}
            onChange={kind => {
              const { user_id: _user, group_id: _group, ...rest } = rule
              put(index, kind === 'group' ? { ...rest, group_id: groups[0]?.id ?? 0 } : rest)
            }}
          />
          {rule.group_id === undefined ? (
            <Taker rule={rule} onChange={next => put(index, next)} />
          ) : (
            <Select
              label={w.chooseGroup}
              options={groups.map(each => ({ id: String(each.id), name: each.name }))}
              value={String(rule.group_id)}
              onChange={group => put(index, { ...rule, group_id: Number(group) })}
            />
          )}
        </fieldset>
      ))}
      {wrong && <p role="alert">{wrong}</p>}
      <Button
        icon={Plus}
        onPress={() => {
          setKeys([...keys, `${id}${Date.now()}`])
          onChange([...value, {}])
        }}
      >
        {w.add}
      </Button>
    </div>
  )
}

/** The person of a rule; who is named already is read first, because the setting has only an id. */
function Taker({ rule, onChange }: { rule: Rule; onChange: (rule: Rule) => void }) {
  const {
    settings: { takers: w },
  } = useCompanyWords()
  const [named] = useState(rule.user_id)
  const { data, error } = useQuery({
    ...ask('GET /api/users/{id}', { path: { id: named ?? 0 } }),
    enabled: named !== undefined,
  })
  if (named !== undefined && !data && !error) return <Loading lines={1} />
  return (
    <PersonField
      label={w.choosePerson}
      chosen={data}
      onChange={user_id => {
        const { user_id: _, ...rest } = rule
        onChange(user_id === undefined ? rest : { ...rest, user_id })
      }}
    />
  )
}
