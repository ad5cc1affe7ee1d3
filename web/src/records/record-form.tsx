import type { Problem } from '../api/problem.ts'
import { Button } from '../ui/button.tsx'
import { Refused } from '../ui/notes.tsx'
import { nameOf, type PersonShape } from '../ui/person.tsx'
import { useFormDraft } from '../ui/use-form-draft.ts'
import { useFormat, useLanguage, useWords } from '../words/index.ts'
import { StoreButtons } from './store-buttons.tsx'

interface Stored {
  revision: number
  updated_at: string
  updated_by: PersonShape | null
}

const words = {
  en: {
    kept: 'Your changes are kept in this tab until you store or discard them.',
    goOn: 'Keep mine and go on',
    discard: 'Discard changes',
  },
  de: {
    kept: 'Ihre Änderungen bleiben in diesem Tab, bis Sie sie speichern oder verwerfen.',
    goOn: 'Meine behalten und weiter',
    discard: 'Änderungen verwerfen',
  },
}

/** The draft of a record is of the revision that it was begun with, whatever comes meanwhile. */
export function useRecordDraft<T extends { revision: number }>(key: string, initial: T, record: Stored | undefined) {
  const draft = useFormDraft<T>(key, initial)
  const { revision } = draft.fields
  return {
    ...draft,
    change: (next: Partial<T>) => draft.change({ ...({ revision } as Partial<T>), ...next }),
    /** Somebody else stored the record since. */
    isOvertaken: record !== undefined && draft.isTyped && revision !== record.revision,
  }
}

interface Props {
  /** Missing while it is a new one. */
  record: Stored | undefined
  draft: { isTyped: boolean; isOvertaken: boolean }
  overtaken: (name: string, when: string) => string
  error: Problem | null
  /** Goes on with what is typed, over what somebody else stored. */
  onGoOn: (revision: number) => void
  onLeave: () => void
  store: string
  isPending: boolean
}

/** The end of the form of a record: what keeps it from being stored, and the buttons. */
export function RecordFormEnd({ record, draft, overtaken, error, onGoOn, onLeave, store, isPending }: Props) {
  const { common } = useWords()
  const w = words[useLanguage()]
  const { moment } = useFormat()
  const { isTyped, isOvertaken } = draft
  return (
    <>
      {record && isOvertaken ? (
        <>
          <Refused>{overtaken(record.updated_by ? nameOf(record.updated_by) : '', moment(record.updated_at))}</Refused>
          <Button onPress={() => onGoOn(record.revision)}>{w.goOn}</Button>
        </>
      ) : (
        error && error.issues.length === 0 && <Refused error={error} />
      )}
      <StoreButtons
        kept={isTyped && w.kept}
        leave={record ? w.discard : common.cancel}
        onLeave={onLeave}
        store={store}
        isPending={isPending}
      />
    </>
  )
}
