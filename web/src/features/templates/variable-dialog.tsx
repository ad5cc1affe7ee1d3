import { useState } from 'react'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Select } from '../../ui/select.tsx'
import { useWords } from '../../words/index.ts'
import { type DraftVariable, isBuiltin, nameFor, variableTypes } from './template.ts'
import styles from './templates.module.css'
import { useTemplateWords } from './words.ts'

interface Props {
  variable: DraftVariable
  isNew: boolean
  /** The names of the others. */
  taken: readonly string[]
  wrong: (field: string) => string | undefined
  onKeep: (variable: DraftVariable) => void
  onClose: () => void
}

/** A variable: what the author is asked for, and what stands in the text. */
export function VariableDialog({ variable, isNew, taken, wrong, onKeep, onClose }: Props) {
  const { common } = useWords()
  const { dialog: w, types, gives } = useTemplateWords()
  const [fields, setFields] = useState(variable)
  const [isTried, setTried] = useState(false)
  // A new variable is named by what it asks for, until it has a name.
  const [isNamed, setNamed] = useState(variable.name !== '')
  const change = (next: Partial<DraftVariable>) => setFields({ ...fields, ...next })
  const { name, label, type } = fields
  const faultOfName = !/^[a-z][a-z0-9_]{0,59}$/.test(name)
    ? w.nameWrong
    : taken.includes(name) || isBuiltin(name)
      ? w.nameTaken
      : undefined
  const faultOfLabel = label.trim() === '' ? w.labelMissing : undefined
  const faultOfOptions = type === 'select' && fields.options.trim() === '' ? w.optionsMissing : undefined
  const keep = () => {
    setTried(true)
    if (!faultOfName && !faultOfLabel && !faultOfOptions) onKeep(fields)
  }
  const bind = bindingOf(fields, change)
  return (
    <Dialog isOpen onClose={onClose} title={isNew ? w.add : w.edit} about={isNew ? undefined : variable.label}>
      <Form onSend={keep} className={styles.dialog} noValidate>
        <Field
          label={w.label}
          isRequired
          autoFocus
          maxLength={200}
          value={label}
          onChange={next => change({ label: next, ...(!isNamed && { name: nameFor(next, taken) }) })}
          wrong={wrong('label') ?? (isTried ? faultOfLabel : undefined)}
        />
        <Field
          label={w.name}
          hint={w.nameHint}
          isRequired
          maxLength={60}
          value={name}
          onChange={next => {
            setNamed(true)
            change({ name: next })
          }}
          wrong={(isTried || isNamed ? faultOfName : undefined) ?? undefined}
        />
        <Select
          label={w.type}
          options={variableTypes.map(id => ({ id, name: types[id], detail: gives[id] }))}
          value={type}
          onChange={id => change({ type: variableTypes.find(each => each === id) ?? type })}
        />
        {type === 'select' && (
          <Field
            label={w.options}
            hint={w.optionsHint}
            rows={4}
            isRequired
            {...bind('options')}
            wrong={wrong('options') ?? (isTried ? faultOfOptions : undefined)}
          />
        )}
        <Checkbox isSelected={fields.required} onChange={required => change({ required })} detail={w.requiredHint}>
          {w.required}
        </Checkbox>
        {type !== 'user' && type !== 'document' && (
          <Field
            label={w.default}
            hint={type === 'date' ? w.today : w.defaultHint}
            {...(type === 'long_text' && { rows: 3 })}
            {...bind('default')}
            wrong={wrong('default')}
          />
        )}
        <Field label={w.help} rows={2} maxLength={1000} {...bind('help')} wrong={wrong('help')} />
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="main">
            {isNew ? w.submitInsert : w.submit}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
