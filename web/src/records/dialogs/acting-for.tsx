import { type ReactNode, useState } from 'react'
import { nameOf, type PersonShape } from '../../ui/person.tsx'
import { Select } from '../../ui/select.tsx'
import { useWords } from '../../words/index.ts'
import type { Allowed } from '../allowed.ts'

/** For whom an act can be taken: for oneself, or as the deputy of one of these people today. */
export interface Behalf {
  oneself: boolean
  people: (PersonShape & { id: number })[]
}

export const behalfOf = (you: Pick<Allowed, 'may' | 'for'>, act: string): Behalf => ({
  oneself: you.may.includes(act),
  people: (you.for ?? []).filter(({ may }) => may.includes(act)).map(({ person }) => person),
})

/** The person for whom a page was opened, from their line in My work. By the address, because the operators' page has no router. */
const askedFor = () => Number(new URLSearchParams(location.search).get('for')) || undefined

export interface ActingFor {
  /** The id of the person for whom the act is; undefined for oneself. */
  id: number | undefined
  name: string | undefined
  /** Chooses the person, or says who it is. Nothing where nobody has the act done for them. */
  field: ReactNode
}

/** A deputy says for whom they act, before they sign or save. */
export function useActingFor(behalf: Behalf | undefined): ActingFor {
  const { deputies: w } = useWords()
  const asked = askedFor()
  const { oneself, people } = behalf ?? { oneself: true, people: [] }
  const first = people.find(({ id }) => id === asked) ?? (oneself ? undefined : people[0])
  const [chosen, setChosen] = useState<string>()
  const id = chosen === undefined ? first?.id : chosen === own ? undefined : Number(chosen)
  const person = people.find(each => each.id === id)
  const options = [
    ...(oneself ? [{ id: own, name: w.oneself }] : []),
    ...people.map(each => ({ id: String(each.id), name: nameOf(each) })),
  ]
  const name = person && nameOf(person)
  const field =
    people.length === 0 ? null : options.length === 1 ? (
      <p>{w.actingFor(name!)}</p>
    ) : (
      <Select
        label={w.forWhom}
        hint={w.forWhomHint}
        options={options}
        value={person ? String(person.id) : own}
        onChange={setChosen}
      />
    )
  return { id: person?.id, name, field }
}
const own = 'own'
