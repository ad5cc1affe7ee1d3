import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { Problem } from '../../api/problem.ts'
import { Unreadable } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import { type UploadFields, UploadForm } from './upload-form.tsx'
import styles from './upload-page.module.css'
import { documentTypes, WhatFollows } from './what-follows.tsx'

export function NewDocumentPage() {
  const { upload: w } = useWords()
  const whyNot = useWhyNot('documents.create')
  useTitle(w.title)
  if (whyNot) return <Unreadable error={new Problem(403, { detail: whyNot })} />
  return <NewDocument />
}

function NewDocument() {
  const { upload: w, document: dw } = useWords()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(documentTypes)
  const state = useFormDraft<UploadFields>(`upload ${useMe().id}`, {
    document_type: '',
    title: '',
    category: '',
    keywords: '',
    description: '',
    effective_date: '',
  })
  const { fields, change } = state
  if (error) return <Unreadable error={error} onRetry={() => void refetch()} />
  return (
    <div className={styles.page}>
      <header>
        <Link to="/documents" className={styles.back}>
          <ChevronLeft size={14} aria-hidden="true" />
          {dw.back}
        </Link>
        <h1>{w.title}</h1>
      </header>
      <UploadForm
        target={{ name: 'POST /api/documents/upload', path: undefined }}
        state={state}
        required={{ document_type: w.missing.type, title: w.missing.title }}
        submit={w.submit}
        done={({ number }) => w.done(number)}
        onDone={({ id }) => void navigate({ to: '/documents/$id', params: { id } })}
        onLeave={() => void navigate({ to: '/documents' })}
      >
        {wrongWith => (
          <Select
            label={dw.type}
            isRequired
            placeholder={w.typePlaceholder}
            options={(data?.items ?? []).map(({ id, name, description }) => ({
              id: String(id),
              name,
              detail: description,
            }))}
            value={fields.document_type ?? ''}
            onChange={document_type => change({ document_type })}
            wrong={wrongWith('document_type')}
          />
        )}
      </UploadForm>
      <section className={styles.side} aria-labelledby="what-follows">
        <h2 id="what-follows">{w.follows}</h2>
        <WhatFollows type={Number(fields.document_type) || undefined} day={fields.effective_date} />
      </section>
    </div>
  )
}
