import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { askAll } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { RecordHead } from '../../records/record-head.tsx'
import record from '../../records/record-page.module.css'
import { NotPermitted, NotRead } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import { type Template, templateOf } from './choices.ts'
import { DesignPage } from './design-page.tsx'
import { useDesign } from './use-design.ts'
import { useDesignerWords } from './words.ts'
import styles from './workflow-page.module.css'

/** A new workflow, as a copy of another one. */
export function NewWorkflowPage() {
  const w = useDesignerWords()
  const { from } = useSearch({ from: '/app/administration/admin/workflows/new' })
  const whyNot = useWhyNot('workflow_templates.manage')
  useTitle(w.newTitle)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  return from === undefined ? <Beginnings /> : <Copied from={from} key={from} />
}

function Beginnings() {
  const w = useDesignerWords()
  const { data, error, refetch } = useQuery(askAll('GET /api/workflow-templates/', { query: { sort: 'name:asc' } }))
  return (
    <div className={record.page}>
      <RecordHead
        list={paths.workflows}
        back={w.title}
        title={w.newTitle}
        state={<span className="soft">{w.newHint}</span>}
      />
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={8} />
      ) : (
        <ul className={styles.beginnings} aria-label={w.newTitle}>
          {data.map(({ id, name, description, is_builtin }) => (
            <li key={id}>
              <Link to="/admin/workflows/new" search={{ from: id }}>
                <span>
                  <b>{name}</b>
                  {is_builtin && <span className={styles.tag}>{w.shipped}</span>}
                  <span className={styles.about}>{description}</span>
                </span>
                <ArrowRight size={16} aria-hidden="true" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Copied({ from }: { from: number }) {
  const { data, error, refetch } = useQuery(templateOf(from))
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  return <NewDesign of={data} />
}

function NewDesign({ of: { id, name, description, definition, names } }: { of: Template }) {
  const w = useDesignerWords()
  const { id: userId } = useMe()
  const navigate = useNavigate()
  const initial = { name: w.copyOf(name), description, definition, names, revision: 0 }
  const designing = useDesign(`workflow ${userId} new ${id}`, initial)
  return (
    <DesignPage
      designing={designing}
      template={undefined}
      title={designing.design.name.trim() || w.untitled}
      onStored={stored => void navigate({ to: '/admin/workflows/$id', params: { id: stored } })}
      onProposed={() => void navigate({ to: '/admin/workflows' })}
      onDiscard={() => void navigate({ to: '/admin/workflows' })}
    />
  )
}
