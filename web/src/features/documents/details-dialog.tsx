import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { PersonField } from '../../records/fields/person-field.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { CategoryField } from './category-field.tsx'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  workflow: Answer<'GET /api/documents/{id}/workflow'>
  onClose: () => void
}

const keywordsOf = (text: string) =>
  text
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')

/** The metadata. That of an effective version is part of what was approved: only its owner can be another one. */
export function DetailsDialog({ document, workflow, onClose }: Props) {
  const w = useActWords()
  const { upload, document: dw } = useWords()
  const { id, title, category, keywords, description, effective_date, owner, revision } = document
  const isDraft = workflow.state.kind === 'initial'
  const isFixed = !isDraft && workflow.state.kind !== 'review'
  const before = {
    title,
    category: category ?? '',
    keywords: keywords.join(', '),
    description: description ?? '',
    effective_date: effective_date ?? '',
    reason: '',
  }
  const { fields, change, forget } = useFormDraft(`details ${useMe().id} ${id}`, before)
  const [ownerId, setOwnerId] = useState<number | undefined>(owner.id)
  const [isTried, setTried] = useState(false)
  const isChanged = (field: keyof typeof before) => fields[field].trim() !== before[field]
  const lacksReason = !isDraft && fields.reason.trim() === ''
  const bind = bindingOf(fields, change)
  return (
    <ActDialog
      title={w.details.title}
      about={<Subject of={document} version={workflow.version} />}
      size="m"
      revision={revision}
      isComplete={() => {
        setTried(true)
        return !lacksReason && fields.title.trim() !== '' && ownerId !== undefined
      }}
      send={revision =>
        call('PUT /api/documents/{id}', {
          path: { id },
          body: {
            revision,
            ...(isChanged('title') && { title: fields.title.trim() }),
            ...(isChanged('category') && { category: fields.category.trim() || null }),
            ...(isChanged('keywords') && { keywords: keywordsOf(fields.keywords) }),
            ...(isChanged('description') && { description: fields.description.trim() || null }),
            ...(isChanged('effective_date') && { effective_date: fields.effective_date || null }),
            ...(ownerId !== owner.id && ownerId !== undefined && { owner_id: ownerId }),
            ...(fields.reason.trim() && { change_reason: fields.reason.trim() }),
          },
        })
      }
      onDone={({ number }) => {
        forget()
        announce(w.details.done(number))
      }}
      onClose={onClose}
      onCancel={() => {
        forget()
        onClose()
      }}
      submit={w.details.submit}
    >
      {problem => (
        <>
          {!isDraft && <p>{isFixed ? w.details.fixed : w.details.backToDraft}</p>}
          {!isFixed && (
            <>
              <Field
                label={upload.documentTitle}
                isRequired
                {...bind('title')}
                wrong={problem?.of('title') ?? (isTried && !fields.title.trim() ? upload.missing.title : undefined)}
              />
              <CategoryField {...bind('category', problem)} />
              <Field label={dw.keywords} hint={upload.keywordsHint} {...bind('keywords', problem)} />
              <Field label={dw.description} rows={3} {...bind('description', problem)} />
              <DayField label={dw.plannedDate} hint={upload.plannedHint} {...bind('effective_date', problem)} />
            </>
          )}
          <PersonField
            label={dw.owner}
            chosen={owner}
            isRequired
            onChange={setOwnerId}
            wrong={problem?.of('owner_id') ?? (isTried && ownerId === undefined ? w.missing.person : undefined)}
          />
          <Field
            label={w.changeReason}
            rows={2}
            isRequired={!isDraft}
            {...bind('reason')}
            wrong={problem?.of('change_reason') ?? (isTried && lacksReason ? w.missing.reason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}
