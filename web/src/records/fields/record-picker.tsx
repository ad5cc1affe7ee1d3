import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import field from '../../ui/field.module.css'
import select from '../../ui/select.module.css'
import { useLater } from '../../ui/use-later.ts'
import { useActWords } from '../../words/acts.ts'
import { useWords } from '../../words/index.ts'
import { useCaseWords } from '../case/words.ts'

export type Found = Answer<'GET /api/find'>['items'][number]
export type RecordKind = 'document' | 'deviation' | 'capa'

interface Props {
  label: string
  kinds: readonly RecordKind[]
  /** What stands in the field at first: the number of what is chosen. */
  shown?: string
  onChange: (found: Found | undefined) => void
  hint?: string | undefined
  isRequired?: boolean
  wrong?: string | undefined
  autoFocus?: boolean
}

/** A record, found by its number or a part of its title. */
export function RecordPicker({ label, kinds, shown = '', onChange, hint, isRequired, wrong, autoFocus }: Props) {
  const w = useCaseWords()
  const acts = useActWords()
  const { found: words } = useWords()
  const [text, setText] = useState(shown)
  const [name, setName] = useState(shown)
  const q = useLater(text === name ? '' : text.trim(), 200)
  const { data } = useQuery({ ...ask('GET /api/find', { query: { q: q.slice(0, 100) } }), enabled: q.length > 1 })
  const items = q.length > 1 ? (data?.items ?? []).filter(({ kind }) => kinds.some(each => each === kind)) : []
  return (
    <ComboBox
      className={field.field!}
      items={items.map(each => ({ ...each, key: `${each.kind} ${each.id}` }))}
      inputValue={text}
      onInputChange={next => {
        setText(next)
        if (next !== name) onChange(undefined)
      }}
      onChange={key => {
        const found = items.find(each => `${each.kind} ${each.id}` === key)
        if (!found) return
        const next = `${found.number} ${found.title}`
        setName(next)
        setText(next)
        onChange(found)
      }}
      defaultFilter={() => true}
      allowsCustomValue
      // What is found comes after the key that asks for it.
      allowsEmptyCollection={text !== name && text.trim().length > 1}
      menuTrigger="input"
      isInvalid={wrong !== undefined}
      validationBehavior="aria"
      {...(isRequired && { isRequired })}
      {...(autoFocus && { autoFocus })}
    >
      <Label>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </Label>
      <Input placeholder={w.findRecord} />
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError>{wrong}</FieldError>
      <Popover className={select.popover!} offset={4}>
        <ListBox
          className={select.list!}
          renderEmptyState={() => <p className={select.none}>{data ? w.noRecordFound : acts.searching}</p>}
        >
          {(record: Found & { key: string }) => (
            <ListBoxItem id={record.key} textValue={`${record.number} ${record.title}`} className={select.item!}>
              <span>
                {record.number} {record.title}
                <span className={select.detail}>{words.kinds[record.kind]}</span>
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
