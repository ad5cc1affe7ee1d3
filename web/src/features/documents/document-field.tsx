import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components'
import { askPage } from '../../api/queries.ts'
import field from '../../ui/field.module.css'
import select from '../../ui/select.module.css'
import { useLater } from '../../ui/use-later.ts'
import { useActWords } from '../../words/acts.ts'
import { useTemplateWords } from './template-words.ts'

interface Props {
  label: string
  /** The number and title of the one that is chosen already. */
  chosen: string
  onChange: (id: number | undefined, name: string) => void
  hint?: string | undefined
  isRequired?: boolean
  wrong?: string | undefined
}

/** A document, found by its number or a part of its title. */
export function DocumentField({ label, chosen, onChange, hint, isRequired = false, wrong }: Props) {
  const w = useTemplateWords()
  const acts = useActWords()
  const [text, setText] = useState(chosen)
  const [name, setName] = useState(chosen)
  // What has been chosen stands in the field, and is not what is looked for.
  const q = useLater(text === name ? '' : text.trim(), 200)
  const { data, error } = useQuery(
    askPage('GET /api/documents/', { query: { page_size: 20, ...(q && { q }), sort: 'number:asc' } }),
  )
  const found = data?.items ?? []
  return (
    <ComboBox
      className={field.field!}
      items={found}
      inputValue={text}
      onInputChange={next => {
        setText(next)
        if (next !== name) onChange(undefined, '')
      }}
      onChange={key => {
        const document = found.find(({ id }) => id === key)
        if (!document) return
        const next = `${document.number} ${document.title}`
        setName(next)
        setText(next)
        onChange(document.id, next)
      }}
      // The service has found them already, also by their keywords.
      defaultFilter={() => true}
      allowsCustomValue
      allowsEmptyCollection
      menuTrigger="focus"
      isRequired={isRequired}
      isInvalid={wrong !== undefined || error !== null}
      validationBehavior="aria"
    >
      <Label>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </Label>
      <Input placeholder={w.findDocument} />
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError>{wrong ?? error?.message}</FieldError>
      <Popover className={select.popover!} offset={4}>
        <ListBox
          className={select.list!}
          renderEmptyState={() => <p className={select.none}>{data ? w.noDocument : acts.searching}</p>}
        >
          {({ id, number, title }: (typeof found)[number]) => (
            <ListBoxItem id={id} textValue={`${number} ${title}`} className={select.item!}>
              <span>
                <span className="number">{number}</span> {title}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
