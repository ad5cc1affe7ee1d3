import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'react-aria-components'
import type { Problem } from '../../api/problem.ts'
import { Refused } from '../../ui/notes.tsx'
import { Initials } from '../../ui/person.tsx'
import { useWords } from '../../words/index.ts'
import type { Demo } from './demo.ts'
import styles from './session.module.css'
import { logIn } from './session.ts'

/** Who is who in a demo. One press logs in, because everybody may be everybody. */
export function DemoPeople({ demo: { people, password }, onDone }: { demo: Demo; onDone: () => void }) {
  const { session: w } = useWords()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation<void, Problem, string>({
    mutationFn: username => logIn(client, { username, password }),
    onSuccess: onDone,
  })
  return (
    <section className={styles.demo} aria-label={w.demoTitle}>
      <h2>{w.demoTitle}</h2>
      <p className="soft">{w.demoPassword(password)}</p>
      {error && <Refused error={error} />}
      <ul>
        {people.map(({ username, full_name, role, can }) => (
          <li key={username}>
            <Button isDisabled={isPending} onPress={() => mutate(username)}>
              <Initials name={full_name} />
              <span>
                <span>
                  <b>{full_name}</b> <span className="soft">{role}</span>
                </span>
                <span className="soft" lang="en">
                  {can}
                </span>
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
