import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import field from '../../ui/field.module.css'
import select from '../../ui/select.module.css'

interface Props {
  label: string
  /** What other records have. */
  used: readonly { value: string }[]
  value: string
  onChange: (value: string) => void
  wrong?: string | undefined
}

/** Free text, with what other records say there: without that, each company has five spellings of one thing. */
export function ValueField({ label, used, value, onChange, wrong }: Props) {
  return (
    <ComboBox
      className={field.field!}
      items={used}
      inputValue={value}
      onInputChange={onChange}
      // The service has found them already.
      defaultFilter={() => true}
      allowsCustomValue
      isInvalid={wrong !== undefined}
      validationBehavior="aria"
    >
      <Label>{label}</Label>
      <Input />
      <FieldError>{wrong}</FieldError>
      <Popover className={select.popover!} offset={4}>
        <ListBox className={select.list!}>
          {({ value: each }: { value: string }) => (
            <ListBoxItem id={each} textValue={each} className={select.item!}>
              {each}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
