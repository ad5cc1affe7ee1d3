import { ArrowUp, Plus, X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import {
  choicesBefore,
  type DraftField,
  type DraftSection,
  type Fault,
  fieldTypes,
  hangingOn,
  isTyped,
  newOption,
  type Row,
} from './draft.ts'
import { FaultText } from './fault-text.tsx'
import styles from './forms.module.css'
import { useFormWords } from './words.ts'

interface Props<R extends Row> {
  row: R
  rows: readonly Row[]
  faults: Fault[]
  onChange: (row: Row) => void
}

/** All that there is to say of one line. */
export const RowProperties = ({ row, ...rest }: Props<Row>) =>
  row.kind === 'section' ? <SectionProperties row={row} {...rest} /> : <FieldProperties row={row} {...rest} />

const saidOf = (faults: Fault[]) => (place: string) => faults.find(each => each.place === place)?.text

function SectionProperties({ row, faults, onChange }: Props<DraftSection>) {
  const w = useFormWords()
  const wrong = saidOf(faults)
  return (
    <div className={styles.properties}>
      <Field
        label={w.sectionForm.name}
        isRequired
        autoFocus={row.title === ''}
        maxLength={200}
        value={row.title}
        onChange={title => onChange({ ...row, title })}
        wrong={wrong('title')}
      />
      <Field
        label={w.sectionForm.description}
        hint={w.sectionForm.descriptionHint}
        rows={3}
        maxLength={2000}
        value={row.description}
        onChange={description => onChange({ ...row, description })}
        wrong={wrong('description')}
      />
      {wrong('fields') && <p className={styles.wrong}>{w.emptySection}</p>}
    </div>
  )
}

function FieldProperties({ row, rows, faults, onChange }: Props<DraftField>) {
  const w = useFormWords()
  const { field: fw } = w
  const wrong = saidOf(faults)
  const change = (next: Partial<DraftField>) => onChange({ ...row, ...next })
  const isAttached = row.type === 'image' || row.type === 'file'
  const wrongLimit = (limit: 'min' | 'max') => wrong(limit) ?? (/^\d*$/.test(row[limit].trim()) ? undefined : fw.whole)
  return (
    <div className={styles.properties}>
      <Field
        label={fw.label}
        isRequired
        autoFocus={row.label === ''}
        maxLength={200}
        value={row.label}
        onChange={label => change({ label })}
        wrong={wrong('label')}
      />
      <Select
        label={fw.type}
        options={fieldTypes.map(id => ({ id, name: w.types[id], detail: w.typeHints[id] }))}
        value={row.type}
        onChange={id => {
          const type = fieldTypes.find(each => each === id)
          if (!type) return
          const isChoice = type === 'select' && row.options.length === 0
          change({ type, ...(isChoice && { options: [newOption(), newOption()] }) })
        }}
        wrong={wrong('type')}
      />
      <Checkbox
        isSelected={row.required}
        onChange={required => change({ required })}
        detail={isAttached ? fw.requiredFileHint : fw.requiredHint}
      >
        {fw.required}
      </Checkbox>
      {row.type === 'select' && <Options row={row} rows={rows} faults={faults} onChange={onChange} />}
      <Field
        label={fw.help}
        hint={fw.helpHint}
        rows={2}
        maxLength={1000}
        value={row.help}
        onChange={help => change({ help })}
        wrong={wrong('help')}
      />
      {isTyped(row) && (
        <div className={styles.pair}>
          <Field
            label={fw.min}
            inputMode="numeric"
            value={row.min}
            onChange={min => change({ min })}
            wrong={wrongLimit('min')}
          />
          <Field
            label={fw.max}
            inputMode="numeric"
            value={row.max}
            onChange={max => change({ max })}
            wrong={wrongLimit('max')}
          />
        </div>
      )}
      <Condition row={row} rows={rows} faults={faults} onChange={onChange} />
    </div>
  )
}

function Options({ row, rows, faults, onChange }: Props<DraftField>) {
  const { field: w } = useFormWords()
  const wrong = saidOf(faults)
  const put = (options: DraftField['options']) => onChange({ ...row, options })
  return (
    <fieldset className={styles.options}>
      <legend>{w.options}</legend>
      {row.options.map((option, at) => {
        const name = option.label || w.option(at + 1)
        const [hanging] = hangingOn(rows, row.id, option.id)
        return (
          <div key={option.id} className={styles.option}>
            <Field
              label={w.option(at + 1)}
              maxLength={200}
              value={option.label}
              onChange={label => put(row.options.map(each => (each.id === option.id ? { ...each, label } : each)))}
              wrong={wrong(`options.${at}.label`)}
            />
            <Button
              look="icon"
              label={w.optionUp(name)}
              icon={ArrowUp}
              isDisabled={at === 0}
              onPress={() => {
                const next = [...row.options]
                next.splice(at - 1, 0, ...next.splice(at, 1))
                put(next)
              }}
            />
            <Button
              look="icon"
              label={w.removeOption(name)}
              icon={X}
              whyNot={hanging && w.optionUsed(hanging.label)}
              onPress={() => put(row.options.filter(each => each.id !== option.id))}
            />
          </div>
        )
      })}
      {wrong('options') && <p className={styles.wrong}>{wrong('options')}</p>}
      <Button icon={Plus} onPress={() => put([...row.options, newOption()])}>
        {w.addOption}
      </Button>
    </fieldset>
  )
}

/** "Shown when [How it was found] is [Otherwise]". */
function Condition({ row, rows, faults, onChange }: Props<DraftField>) {
  const w = useFormWords()
  const { field: fw } = w
  const { when } = row
  const choices = choicesBefore(rows, row)
  const other = choices.find(({ id }) => id === when?.field)
  const fault = faults.find(({ place }) => place === 'visible_when')
  return (
    <fieldset className={styles.condition}>
      <legend>{fw.shown}</legend>
      <Select
        label={fw.when}
        options={[
          { id: 'always', name: w.always },
          ...choices.map(({ id, label }) => ({ id, name: label || w.untitled })),
        ]}
        value={when ? (other?.id ?? '') : 'always'}
        placeholder={fw.choose}
        hint={choices.length === 0 && !when ? fw.noChoiceBefore : undefined}
        onChange={id => {
          const chosen = choices.find(each => each.id === id)
          onChange({ ...row, when: chosen ? { field: chosen.id, option: chosen.options[0]?.id ?? '' } : null })
        }}
      />
      {other && when && (
        <Select
          label={fw.is}
          options={other.options.map(({ id, label }) => ({ id, name: label || w.untitled }))}
          value={other.options.some(({ id }) => id === when.option) ? when.option : ''}
          placeholder={fw.choose}
          onChange={option => onChange({ ...row, when: { ...when, option } })}
        />
      )}
      {fault && (
        <p className={styles.wrong}>
          <FaultText of={fault} />
        </p>
      )}
    </fieldset>
  )
}
