import { useQuery } from '@tanstack/react-query'
import { ListX } from 'lucide-react'
import { useState } from 'react'
import { FormView, schemaOf } from '../../records/forms/form-fields.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { useMe } from '../session/session.ts'
import type { FormTemplate } from './draft.ts'
import styles from './forms.module.css'
import type { FormDraft } from './use-form.ts'
import { useFormWords } from './words.ts'

/** The form as whoever reports a deviation will have it, drawn by the same fields. */
export function FormPreview({ draft, template }: { draft: FormDraft; template: FormTemplate | undefined }) {
  const w = useFormWords()
  const mayManage = useMe().permissions.includes('deviations.manage_forms')
  const [values, setValues] = useState<Record<string, unknown>>({})
  // A reader who may not write forms sees the stored one.
  const stored = useQuery({
    ...schemaOf(template?.id, template?.version),
    enabled: !mayManage && template !== undefined,
  })
  if (stored.error) return <Unreadable error={stored.error} onRetry={() => void stored.refetch()} />
  const schema = mayManage ? draft.schema : stored.data
  if (mayManage && draft.faults.length > 0)
    return (
      <Empty icon={ListX} title={w.faults(draft.faults.length)}>
        {w.preview.broken}
      </Empty>
    )
  if (!schema) return <Loading lines={6} />
  return (
    <section className={styles.preview} aria-label={w.tabs.preview}>
      <p className={styles.previewHint}>
        {w.preview.hint} <Button onPress={() => setValues({})}>{w.preview.clear}</Button>
      </p>
      <FormView schema={schema} values={values} onChange={setValues} problem={null} />
    </section>
  )
}
