import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Loading, NotPermitted, Unreadable } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import { type UploadFields, UploadForm } from './upload-form.tsx'
import styles from './upload-page.module.css'
import { WhatFollows } from './what-follows.tsx'

type Document = Answer<'GET /api/documents/{id}'>

export function NewVersionPage() {
  const { upload: w } = useWords()
  const { id } = useParams({ from: '/app/documents/$id/new-version' })
  const whyNot = useWhyNot('documents.create')
  const current = useQuery(ask('GET /api/documents/{id}', { path: { id } }))
  // A version under way is what the new one replaces, and so what its fields begin with.
  const pending = current.data?.pending_version?.version
  const underWay = useQuery({
    ...ask('GET /api/documents/{id}', { path: { id }, query: { version: pending } }),
    enabled: pending !== undefined,
  })
  useTitle(current.data && `${w.versionTitle} ${current.data.number}`)
  if (whyNot) return <NotPermitted why={whyNot} />
  const error = current.error ?? underWay.error
  if (error)
    return <Unreadable error={error} onRetry={() => void Promise.all([current.refetch(), underWay.refetch()])} />
  const document = pending === undefined ? current.data : underWay.data
  if (!document) return <Loading lines={10} />
  return <NewVersion document={document} />
}

const usualImpact = { major: 'reassign_all', minor: 'open_only' } as const

function NewVersion({ document }: { document: Document }) {
  const { upload: w, document: dw } = useWords()
  const navigate = useNavigate()
  const { id, number, title, category, keywords, description, status, version, effective_version } = document
  const isReplaced = version !== effective_version
  const state = useFormDraft<UploadFields>(`version ${useMe().id} ${id} ${version}`, {
    change_type: '',
    change_reason: '',
    training_impact: '',
    title,
    category: category ?? '',
    keywords: keywords.join(', '),
    description: description ?? '',
    effective_date: '',
  })
  const { fields, change } = state
  const usual = usualImpact[fields.change_type as keyof typeof usualImpact]
  const back = () => void navigate({ to: '/documents/$id', params: { id } })
  return (
    <div className={styles.page}>
      <header>
        <Link to="/documents/$id" params={{ id }} className={styles.back}>
          <ChevronLeft size={14} aria-hidden="true" />
          {number}
        </Link>
        <h1>
          {w.versionTitle} <span className={styles.number}>{number}</span>
        </h1>
        <p className={styles.state}>
          <Status of={status} />
          {dw.versionOf(version)}
          {isReplaced && <span className="soft">{w.replaces}</span>}
        </p>
      </header>
      <UploadForm
        target={{ name: 'POST /api/documents/{id}/versions', path: { id } }}
        state={state}
        required={{ change_type: w.missing.change, change_reason: w.missing.reason, title: w.missing.title }}
        submit={w.submitVersion}
        done={answer => w.versionDone(answer.number, answer.pending_version?.version ?? answer.version)}
        onDone={back}
        onLeave={back}
      >
        {wrongWith => (
          <>
            <Choice
              label={w.change}
              isRequired
              options={[
                { id: 'major', name: dw.change.major, detail: w.changeIs.major },
                { id: 'minor', name: dw.change.minor, detail: w.changeIs.minor },
              ]}
              value={fields.change_type as 'major' | 'minor' | ''}
              onChange={change_type => change({ change_type })}
              wrong={wrongWith('change_type')}
            />
            <Field
              label={w.reason}
              rows={2}
              isRequired
              value={fields.change_reason ?? ''}
              onChange={change_reason => change({ change_reason })}
              wrong={wrongWith('change_reason')}
            />
            <Choice
              label={w.readAnew}
              options={(['reassign_all', 'open_only', 'none'] as const).map(each => ({
                id: each,
                name: w.impact[each],
                detail: each === usual && w.usual,
              }))}
              value={(fields.training_impact || usual || '') as 'reassign_all' | 'open_only' | 'none' | ''}
              onChange={training_impact => change({ training_impact })}
              wrong={wrongWith('training_impact')}
            />
          </>
        )}
      </UploadForm>
      <section className={styles.side} aria-labelledby="what-follows">
        <h2 id="what-follows">{w.follows}</h2>
        <WhatFollows type={document.document_type.id} day={fields.effective_date} />
      </section>
    </div>
  )
}
