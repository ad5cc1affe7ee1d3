import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import { askPage } from '../../api/queries.ts'
import { nameOf, Person, type PersonShape } from '../../ui/person.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useWords } from '../../words/index.ts'
import styles from './mentions.module.css'

export interface Mentioned extends PersonShape {
  id: number
}

interface Props {
  people: Mentioned[]
  onChange: (people: Mentioned[]) => void
  /** Who was mentioned before stays so: they were told. */
  kept?: readonly Mentioned[]
}

/** Who is told of a comment. Whether they may read the version is for the service to say. */
export function Mentions({ people, onChange, kept = [] }: Props) {
  const { reading: w, common } = useWords()
  const [text, setText] = useState('')
  const q = useLater(text.trim(), 200)
  const { data } = useQuery({
    ...askPage('GET /api/users/', { query: { q, is_active: true, page_size: 8 } }),
    enabled: q !== '',
  })
  const isChosen = (id: number) => [...kept, ...people].some(each => each.id === id)
  const found = q === '' ? [] : (data?.items ?? []).filter(({ id }) => !isChosen(id))
  return (
    <div className={styles.mentions}>
      <ComboBox
        className={styles.field!}
        items={found}
        inputValue={text}
        onInputChange={setText}
        value={null}
        onChange={key => {
          // What is typed is cleared before the choice is told, and what was found with it.
          const person = data?.items.find(({ id }) => id === Number(key))
          if (!person) return
          onChange([...people, person])
          setText('')
        }}
        menuTrigger="input"
        allowsEmptyCollection={text !== ''}
      >
        <Label>{w.mention}</Label>
        <Input placeholder={w.mentionHint} />
        <Popover className={styles.popover!} offset={4}>
          <ListBox<Mentioned>
            className={styles.list!}
            renderEmptyState={() => <p className="soft">{q !== '' && data ? w.nobodyFound : common.loading}</p>}
          >
            {person => (
              <ListBoxItem className={styles.item!} textValue={nameOf(person)}>
                <Person of={person} />
                <span className="soft">{person.username}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {people.length > 0 && (
        <ul className={styles.people}>
          {people.map(person => (
            <li key={person.id}>
              <Person of={person} />
              <Button
                aria-label={w.dropMention(nameOf(person))}
                onPress={() => onChange(people.filter(({ id }) => id !== person.id))}
              >
                <X size={14} aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
