import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useState } from 'react'
import { DepartmentField, hasDepartment, useDepartmentWords } from '../../records/fields/department-field.tsx'
import { NotPermitted, Unreadable } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import { TemplateForm } from './template-form.tsx'
import { useTemplateWords } from './template-words.ts'
import { type UploadFields, UploadForm } from './upload-form.tsx'
import styles from './upload-page.module.css'
import { documentTypes, WhatFollows } from './what-follows.tsx'

export function NewDocumentPage() {
  const templates = useTemplateWords()
  const { upload: w } = useWords()
  const { from } = useSearch({ from: '/app/documents/new' })
  const whyNot = useWhyNot('documents.create')
  useTitle(from === 'template' ? templates.title : w.title)
  if (whyNot) return <NotPermitted why={whyNot} />
  return <NewDocument />
}

function NewDocument() {
  const templates = useTemplateWords()
  const { upload: w, document: dw } = useWords()
  const navigate = useNavigate()
  const { from, template } = useSearch({ from: '/app/documents/new' })
  const { data, error, refetch } = useQuery(documentTypes)
  const { permissions } = useMe()
  const [templateType, setTemplateType] = useState<number>()
  const mayUseTemplates = permissions.includes('templates.use') && permissions.includes('templates.read')
  const isFromTemplate = from === 'template' && mayUseTemplates
  const open = ({ id }: { id: number }) => void navigate({ to: '/documents/$id', params: { id } })
  const leave = () => void navigate({ to: '/documents' })
  const upload = useUpload()
  const dep = useDepartmentWords()
  const asksDepartment = hasDepartment(data?.items.find(({ id }) => String(id) === upload.fields.document_type))
  if (error) return <Unreadable error={error} onRetry={() => void refetch()} />
  return (
    <div className={styles.page}>
      <header>
        <Link to="/documents" className={styles.back}>
          <ChevronLeft size={14} aria-hidden="true" />
          {dw.back}
        </Link>
        <h1>{isFromTemplate ? templates.title : w.title}</h1>
        {mayUseTemplates && (
          <nav className={styles.ways} aria-label={templates.ways}>
            <Link to="/documents/new" search={{}} replace activeOptions={{ exact: true, includeSearch: true }}>
              {templates.fromFile}
            </Link>
            <Link to="/documents/new" search={{ from: 'template' }} replace activeOptions={{ includeSearch: true }}>
              {templates.fromTemplate}
            </Link>
          </nav>
        )}
      </header>
      {isFromTemplate ? (
        <TemplateForm
          template={template}
          types={data?.items ?? []}
          onTemplate={next =>
            void navigate({
              to: '/documents/new',
              search: { from: 'template', template: next },
              replace: true,
              resetScroll: false,
            })
          }
          onType={setTemplateType}
          onDone={open}
          onLeave={leave}
        />
      ) : (
        <UploadForm
          target={{ name: 'POST /api/documents/upload', path: undefined }}
          state={upload}
          required={{
            document_type: w.missing.type,
            ...(asksDepartment && { department: dep.missing }),
            title: w.missing.title,
          }}
          submit={w.submit}
          done={({ number }) => w.done(number)}
          onDone={open}
          onLeave={leave}
        >
          {wrongWith => (
            <>
              <Select
                label={dw.type}
                isRequired
                placeholder={w.typePlaceholder}
                options={(data?.items ?? []).map(({ id, name, description }) => ({
                  id: String(id),
                  name,
                  detail: description,
                }))}
                value={upload.fields.document_type ?? ''}
                // A department of another type would be stored with this one.
                onChange={document_type => upload.change({ document_type, department: '' })}
                wrong={wrongWith('document_type')}
              />
              {asksDepartment && (
                <DepartmentField
                  value={upload.fields.department ?? ''}
                  onChange={department => upload.change({ department })}
                  wrong={wrongWith('department')}
                />
              )}
            </>
          )}
        </UploadForm>
      )}
      <section className={styles.side} aria-labelledby="what-follows">
        <h2 id="what-follows">{w.follows}</h2>
        <WhatFollows
          type={isFromTemplate ? templateType : Number(upload.fields.document_type) || undefined}
          day={isFromTemplate ? '' : upload.fields.effective_date}
        />
      </section>
    </div>
  )
}

const useUpload = () =>
  useFormDraft<UploadFields>(`upload ${useMe().id}`, {
    document_type: '',
    department: '',
    title: '',
    category: '',
    keywords: '',
    description: '',
    effective_date: '',
  })
