import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { type Issue, Problem } from '../../api/problem.ts'
import { useRecordDraft } from '../../records/record-form.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useMe } from '../session/session.ts'
import { type Fault, type FormTemplate, faultsOf, newField, newSection, type Row, rowsOf, sectionsOf } from './draft.ts'
import { useFormWords } from './words.ts'

interface Fields {
  name: string
  description: string
  rows: Row[]
  change_reason: string
  /** What the draft was begun with: somebody else may have stored another version since. */
  revision: number
}

const emptyForm = (title: string): Row[] => [newSection(title), newField()]

export type FormDraft = ReturnType<typeof useDraftOf>

/** A form as it is being written: kept over a reload, and tried by the service whenever it stands still. */
export function useDraftOf({ template, copied }: { template?: FormTemplate; copied?: FormTemplate | undefined }) {
  const w = useFormWords()
  const { id: userId, permissions } = useMe()
  const mayManage = permissions.includes('deviations.manage_forms')
  const source = template ?? copied
  const draft = useRecordDraft<Fields>(
    `form ${userId} ${template?.id ?? `new ${copied?.id ?? ''}`}`,
    {
      name: template?.name ?? (copied ? w.copyOf(copied.name) : ''),
      description: source?.description ?? '',
      rows: source ? rowsOf(source.sections) : emptyOnce(w.section),
      change_reason: '',
      revision: template?.revision ?? 0,
    },
    template,
  )
  const { fields } = draft
  const sections = sectionsOf(fields.rows)
  const { tried, isCurrent } = useTried(JSON.stringify(sections), mayManage)
  return {
    ...draft,
    sections,
    schema: tried?.schema,
    faults: tried ? faultsOf(fields.rows, tried.issues) : ([] as Fault[]),
    /** The faults are those of the form as it is now, and not of a moment ago. */
    isChecked: isCurrent,
  }
}

let empty: Row[] | undefined
/** The same first lines at each rendering. */
const emptyOnce = (title: string) => {
  empty ??= emptyForm(title)
  return empty
}

/** What the service says of sections that are not stored: the form that they make, or what is wrong with them. */
function useTried(sections: string, isEnabled: boolean) {
  const later = useLater(sections, 400)
  const { data: tried, isPlaceholderData } = useQuery({
    queryKey: ['POST /api/deviations/form-templates/preview', later],
    queryFn: async ({ signal }) => {
      try {
        const body = { sections: JSON.parse(later) }
        const schema = await call('POST /api/deviations/form-templates/preview', { body }, signal)
        return { schema, issues: [] as Issue[] }
      } catch (error) {
        if (error instanceof Problem && error.status === 422) return { schema: undefined, issues: error.issues }
        throw error
      }
    },
    enabled: isEnabled,
    placeholderData: before => before,
    retry: false,
  })
  return { tried, isCurrent: later === sections && tried !== undefined && !isPlaceholderData }
}
