import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { NotRead } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { CompanyForm } from './company-form.tsx'
import { Mail } from './mail.tsx'
import { People } from './people.tsx'
import { Roles } from './roles.tsx'
import { type StepName, steps } from './search.ts'
import styles from './set-up.module.css'
import { Step } from './step.tsx'
import { Types } from './types.tsx'
import { useSetUpWords } from './words.ts'

/** Leads through what a new company needs. Each step shows what is there, so nobody has to remember where they were. */
export function SetUpPage() {
  const w = useSetUpWords()
  const { step } = useSearch({ from: '/app/administration/admin/set-up' })
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(ask('GET /api/set-up/', {}))
  useTitle(w.title)
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  const { company, people, roles, document_types, mail, documents } = data
  const left = steps.filter(name => !data[name].is_done)
  const open = step ?? left[0]
  const mailState = !mail.is_set_up ? 'off' : mail.is_done ? 'done' : mail.last_test ? 'failed' : 'none'
  const parts: Record<StepName, { state: string; body: ReactNode }> = {
    company: {
      state: w.company.state(company.name, company.time_zone, w.company.languages[company.language]!),
      body: <CompanyForm company={company} />,
    },
    people: {
      state: w.people.state(people.active, people.invited),
      body: <People people={people} hasMail={mail.is_set_up} />,
    },
    roles: { state: w.roles.state(roles.is_done), body: <Roles roles={roles.items} types={document_types.items} /> },
    document_types: {
      state: w.document_types.state(document_types.items.length),
      body: <Types types={document_types.items} />,
    },
    mail: { state: w.mail.state[mailState], body: <Mail mail={mail} /> },
    documents: {
      state: w.documents.state(documents.uploaded, documents.effective),
      body: (
        <>
          <p className="soft">{w.documents.about}</p>
          <Link to={paths.newDocument}>{w.documents.upload}</Link>
          {documents.uploaded > 0 && <Link to={paths.documents}>{w.documents.list}</Link>}
        </>
      ),
    },
  }
  const toggle = (name: StepName) =>
    void navigate({ to: paths.setUp, search: { step: open === name ? undefined : name }, replace: true })
  return (
    <div className={styles.page}>
      <h1>{w.title}</h1>
      <p className="soft">
        {left.length === 0 ? w.allDone : w.left(left.length)} {w.about}
      </p>
      <ol className={styles.steps}>
        {steps.map((name, at) => (
          <Step
            key={name}
            place={at + 1}
            title={w[name].title}
            state={parts[name].state}
            isDone={data[name].is_done}
            isOpen={open === name}
            onToggle={() => toggle(name)}
          >
            {parts[name].body}
          </Step>
        ))}
      </ol>
    </div>
  )
}
