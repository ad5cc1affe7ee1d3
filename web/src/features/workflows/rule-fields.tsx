import { X } from 'lucide-react'
import { PickMany } from '../../records/fields/pick-many.tsx'
import { idsOf, type Names, type Rule } from '../../records/workflow/definition.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { useGroups, usePeopleFound, useRoles } from './choices.ts'
import styles from './editors.module.css'
import { type Fault, faultAt } from './places.ts'
import { useDesignerWords } from './words.ts'

interface Props {
  rule: Rule
  /** Counted from 0. */
  index: number
  isOnly: boolean
  names: Names
  faults: readonly Fault[]
  onChange: (rule: Rule, names?: Names, field?: string) => void
  onRemove: () => void
}

const kinds = ['role', 'group', 'user', 'permission'] as const
const numberIn = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)

/** Approvers as a sentence that is filled in: how many of whom. */
export function RuleFields({ rule, index, isOnly, names, faults, onChange, onRemove }: Props) {
  const { approval: w } = useDesignerWords()
  const isShare = rule.percent !== undefined
  const at = (...path: (string | number)[]) => faultAt(faults, 'approval', 'rules', index, ...path)
  const amount = rule.percent ?? rule.count ?? 1
  const setKind = (kind: Rule['kind']) => {
    if (kind === rule.kind) return
    // The people named for the former kind mean nothing for this one.
    const who = kind === 'role' ? 'QA' : kind === 'permission' ? 'documents.approve' : kind === 'user' ? [] : 0
    onChange({ ...rule, kind, who: who as Rule['who'] })
  }
  return (
    <fieldset className={styles.rule}>
      <legend className="visually-hidden">{w.rule(index + 1)}</legend>
      {!isOnly && (
        <div className={styles.ruleHead}>
          <span className="soft" aria-hidden="true">
            {w.rule(index + 1)}
          </span>
          <Button look="icon" label={w.removeRule(index + 1)} icon={X} onPress={onRemove} />
        </div>
      )}
      <div className={styles.amount}>
        <Field
          label={w.amount}
          inputMode="numeric"
          value={amount === 0 ? '' : String(amount)}
          onChange={text => {
            const { count: _, percent: __, ...rest } = rule
            const next = numberIn(text) ?? 0
            onChange(isShare ? { ...rest, percent: next } : { ...rest, count: next }, undefined, `amount ${index}`)
          }}
          wrong={at('count') ?? at('percent')}
        />
      </div>
      <Select
        label={w.unit}
        options={(['count', 'percent'] as const).map(id => ({ id, name: w.units[id] }))}
        value={isShare ? 'percent' : 'count'}
        onChange={unit => {
          const { count: _, percent: __, ...rest } = rule
          onChange(unit === 'percent' ? { ...rest, percent: 50 } : { ...rest, count: 1 })
        }}
      />
      <Select
        label={w.kind}
        options={kinds.map(id => ({ id, name: w.kinds[id] }))}
        value={rule.kind}
        onChange={kind => setKind(kind as Rule['kind'])}
      />
      <Who rule={rule} names={names} onChange={onChange} wrong={at('who')} />
    </fieldset>
  )
}

function Who({
  rule,
  names,
  onChange,
  wrong,
}: Pick<Props, 'rule' | 'names' | 'onChange'> & { wrong: string | undefined }) {
  const { approval: w } = useDesignerWords()
  const { rights } = useWorkflowSentences()
  const roles = useRoles()
  const groups = useGroups()
  if (rule.kind === 'user') {
    // Nobody chosen yet is no person, and the service says so.
    const ids = idsOf(rule).filter(id => id > 0)
    return (
      <PickMany
        label={w.people}
        placeholder={w.findPerson}
        chosen={ids.map(id => ({ id, name: names.users[id] ?? '' }))}
        useFound={usePeopleFound}
        removeLabel={w.removePerson}
        onChange={chosen =>
          onChange(
            { ...rule, who: chosen.map(({ id }) => id) },
            { ...names, users: { ...names.users, ...Object.fromEntries(chosen.map(({ id, name }) => [id, name])) } },
          )
        }
        wrong={wrong}
      />
    )
  }
  const now = String(rule.who)
  const withNow = (options: { id: string; name: string }[], name: string) =>
    now === '' || now === '0' || options.some(({ id }) => id === now) ? options : [...options, { id: now, name }]
  if (rule.kind === 'group')
    return (
      <Select
        label={w.group}
        placeholder={groups.length === 0 ? w.noGroups : '—'}
        options={withNow(groups, names.groups[now] ?? now)}
        value={now === '0' ? '' : now}
        onChange={id => {
          const name = groups.find(each => each.id === id)?.name ?? ''
          onChange({ ...rule, who: Number(id) }, { ...names, groups: { ...names.groups, [id]: name } })
        }}
        wrong={wrong}
      />
    )
  const options =
    rule.kind === 'role'
      ? withNow(roles, now)
      : withNow(
          Object.entries(rights).map(([id, name]) => ({ id, name })),
          now,
        )
  return (
    <Select
      label={rule.kind === 'role' ? w.role : w.right}
      options={options}
      value={now}
      onChange={who => onChange({ ...rule, who })}
      wrong={wrong}
    />
  )
}
