import { ChevronDown, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components'
import field from '../../ui/field.module.css'
import select from '../../ui/select.module.css'
import { useLater } from '../../ui/use-later.ts'
import { useActWords } from '../../words/acts.ts'
import box from './person-field.module.css'
import styles from './pick-many.module.css'

export interface Pick {
  id: number
  name: string
  detail?: string | undefined
}

interface Props {
  label: string
  chosen: readonly Pick[]
  onChange: (chosen: Pick[]) => void
  /** What the service finds for what is typed; undefined until it has answered. */
  useFound: (text: string) => readonly Pick[] | undefined
  /** What a chip's button is called. */
  removeLabel: (name: string) => string
  placeholder?: string
  hint?: ReactNode
  isRequired?: boolean
  wrong?: string | undefined
}

/** Several of many, each found by a part of its name. */
export function PickMany({
  label,
  chosen,
  onChange,
  useFound,
  removeLabel,
  placeholder = '',
  hint,
  isRequired,
  wrong,
}: Props) {
  const w = useActWords()
  const [text, setText] = useState('')
  const q = useLater(text.trim(), 180)
  const found = useFound(q)
  // Nothing is offered for an empty field, unless it is asked for: the emptied field would open the list anew after each choice.
  const [showsAll, setShowsAll] = useState(false)
  const isAsked = text !== '' || showsAll
  const offered = isAsked ? (found ?? []).filter(({ id }) => !chosen.some(each => each.id === id)) : []
  return (
    <div className={styles.many}>
      <ComboBox
        className={field.field!}
        items={offered}
        inputValue={text}
        onInputChange={setText}
        value={null}
        onChange={key => {
          const pick = found?.find(({ id }) => id === Number(key))
          if (!pick) return
          onChange([...chosen, pick])
          setText('')
          setShowsAll(false)
        }}
        // The service has found them already.
        defaultFilter={() => true}
        menuTrigger="input"
        allowsEmptyCollection={isAsked}
        onOpenChange={(isOpen, trigger) => setShowsAll(isOpen && trigger === 'manual')}
        isInvalid={wrong !== undefined}
        validationBehavior="aria"
        {...(isRequired && { isRequired })}
      >
        <Label>
          {label}
          {isRequired && <span aria-hidden="true"> *</span>}
        </Label>
        <div className={box.box}>
          <Input placeholder={placeholder} />
          <Button aria-label={w.showAll(label)}>
            <ChevronDown size={15} aria-hidden="true" />
          </Button>
        </div>
        {hint && <Text slot="description">{hint}</Text>}
        <FieldError>{wrong}</FieldError>
        <Popover className={select.popover!} offset={4}>
          <ListBox
            className={select.list!}
            renderEmptyState={() => <p className={select.none}>{found ? w.nobodyFound : w.searching}</p>}
          >
            {({ id, name, detail }: Pick) => (
              <ListBoxItem id={id} textValue={name} className={select.item!}>
                <span>
                  {name}
                  {detail && <span className={select.detail}>{detail}</span>}
                </span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {chosen.length > 0 && (
        <ul className={styles.chips} aria-label={label}>
          {chosen.map(({ id, name }) => (
            <li key={id}>
              {name}
              <Button aria-label={removeLabel(name)} onPress={() => onChange(chosen.filter(each => each.id !== id))}>
                <X size={14} aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
