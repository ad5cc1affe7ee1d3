import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components'
import { askPage } from '../../api/queries.ts'
import field from '../../ui/field.module.css'
import { nameOf, type PersonShape } from '../../ui/person.tsx'
import select from '../../ui/select.module.css'
import { useLater } from '../../ui/use-later.ts'
import { useActWords } from '../../words/acts.ts'
import styles from './person-field.module.css'

interface Props {
  label: string
  /** Who is chosen already. */
  chosen?: PersonShape | undefined
  onChange: (id: number | undefined, person?: PersonShape & { id: number }) => void
  /** They are not offered. */
  without?: number[]
  hint?: ReactNode
  isRequired?: boolean
  wrong?: string | undefined
}

/** A person of the company, found by a part of their name. */
export function PersonField({ label, chosen, onChange, without = [], hint, isRequired, wrong }: Props) {
  const w = useActWords()
  const [text, setText] = useState(chosen ? nameOf(chosen) : '')
  const [name, setName] = useState(text)
  // Who has been chosen stands in the field, and is not what is looked for.
  const q = useLater(text === name ? '' : text.trim(), 200)
  const { data, error } = useQuery(
    askPage('GET /api/users/', { query: { is_active: true, page_size: 20, ...(q && { q }), sort: 'full_name:asc' } }),
  )
  const people = (data?.items ?? []).filter(({ id }) => !without.includes(id))
  return (
    <ComboBox
      className={field.field!}
      items={people}
      inputValue={text}
      onInputChange={next => {
        setText(next)
        if (next !== name) onChange(undefined)
      }}
      onChange={key => {
        const person = people.find(({ id }) => id === key)
        if (!person) return
        setName(nameOf(person))
        setText(nameOf(person))
        onChange(person.id, person)
      }}
      // The service looks for them, also in e-mail addresses, which are not shown.
      defaultFilter={() => true}
      allowsCustomValue
      allowsEmptyCollection
      menuTrigger="focus"
      isInvalid={wrong !== undefined || error !== null}
      validationBehavior="aria"
      {...(isRequired && { isRequired })}
    >
      <Label>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </Label>
      <div className={styles.box}>
        <Input placeholder={w.findPerson} />
        <Button aria-label={w.showPeople}>
          <ChevronDown size={15} aria-hidden="true" />
        </Button>
      </div>
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError>{wrong ?? error?.message}</FieldError>
      <Popover className={select.popover!} offset={4}>
        <ListBox
          className={select.list!}
          renderEmptyState={() => <p className={select.none}>{data ? w.nobodyFound : w.searching}</p>}
        >
          {(person: (typeof people)[number]) => (
            <ListBoxItem id={person.id} textValue={nameOf(person)} className={select.item!}>
              <span>
                {nameOf(person)}
                <span className={select.detail}>{person.role}</span>
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
