import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { askPage } from '../../api/queries.ts'
import { Brand } from '../../app/brand.tsx'
import { paths } from '../../app/paths.ts'
import { Refused } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { demoOf } from './demo.ts'
import { DemoPeople } from './demo-people.tsx'
import { LoginForm } from './login-form.tsx'
import styles from './session.module.css'

const demo = demoOf(document)

export function LoginPage() {
  const { session: w, problems } = useWords()
  const navigate = useNavigate()
  const { to = '/', error, reference } = useSearch({ from: '/sign-in' })
  // The same question as the form's.
  const { data: options } = useQuery(askPage('GET /api/auth/options', { query: { email: undefined } }))
  useTitle(w.title)
  if (options?.first_start) return <Navigate to={paths.firstStart} replace />
  const goOn = () => void navigate({ href: to, replace: true })
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Brand />
        <div>
          <h1>{w.title}</h1>
          <p className="soft">{w.promise}</p>
        </div>
        {error && (
          <Refused>
            {w.refusedByProvider[error]} {reference && problems.reference(reference)}
          </Refused>
        )}
        <LoginForm to={to} onDone={goOn} />
      </div>
      {demo && <DemoPeople demo={demo} onDone={goOn} />}
    </main>
  )
}
