import { useQuery } from '@tanstack/react-query'
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import { askPage } from '../../api/queries.ts'
import field from '../../ui/field.module.css'
import select from '../../ui/select.module.css'
import { useLater } from '../../ui/use-later.ts'
import { useWords } from '../../words/index.ts'

interface Props {
  value: string
  onChange: (value: string) => void
  wrong?: string | undefined
}

/** Free text, with the categories that other documents have: without them, each company has five spellings of one. */
export function CategoryField({ value, onChange, wrong }: Props) {
  const { document: w } = useWords()
  const q = useLater(value.trim(), 200)
  const { data } = useQuery(
    askPage('GET /api/documents/values', { query: { field: 'category', ...(q && { q: q.slice(0, 100) }) } }),
  )
  return (
    <ComboBox
      className={field.field!}
      items={data?.items ?? []}
      inputValue={value}
      onInputChange={onChange}
      // The service has found them already.
      defaultFilter={() => true}
      allowsCustomValue
      isInvalid={wrong !== undefined}
      validationBehavior="aria"
    >
      <Label>{w.category}</Label>
      <Input />
      <FieldError>{wrong}</FieldError>
      <Popover className={select.popover!} offset={4}>
        <ListBox className={select.list!}>
          {({ value: category }: { value: string }) => (
            <ListBoxItem id={category} textValue={category} className={select.item!}>
              {category}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
