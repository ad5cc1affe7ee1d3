import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  Select as AriaSelect,
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from 'react-aria-components'
import field from './field.module.css'
import styles from './select.module.css'

interface Props {
  label: string
  options: { id: string; name: string; detail?: string | undefined }[]
  value: string
  onChange: (value: string) => void
  placeholder?: string
  hint?: ReactNode
  isRequired?: boolean
  isDisabled?: boolean
  wrong?: string | undefined
}

/** One of several values. */
export function Select({ label, options, value, onChange, placeholder, hint, isRequired, isDisabled, wrong }: Props) {
  return (
    <AriaSelect
      className={field.field!}
      value={value || null}
      onChange={key => onChange(key === null ? '' : String(key))}
      isInvalid={wrong !== undefined}
      validationBehavior="aria"
      {...(placeholder !== undefined && { placeholder })}
      {...(isRequired && { isRequired })}
      // A list of nothing does not open, so nobody is to press it before its values have come.
      {...((isDisabled || options.length === 0) && { isDisabled: true })}
    >
      <Label className={styles.label!}>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </Label>
      <Button className={styles.button!}>
        <SelectValue className={styles.value!}>
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <ChevronDown size={15} aria-hidden="true" />
      </Button>
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError>{wrong}</FieldError>
      <Popover className={styles.popover!} offset={4}>
        <ListBox className={styles.list!} items={options}>
          {({ id, name, detail }) => (
            <ListBoxItem id={id} textValue={name} className={styles.item!}>
              {({ isSelected }) => (
                <>
                  <span>
                    {name}
                    {detail && <span className={styles.detail}>{detail}</span>}
                  </span>
                  {isSelected && <Check size={14} aria-hidden="true" />}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
