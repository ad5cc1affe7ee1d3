import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { useEffect, useState } from 'react'
import { serviceNow } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useWords } from '../../words/index.ts'
import { timeLeft, warning_minutes } from './ends.ts'
import { LoginForm } from './login-form.tsx'
import styles from './session.module.css'
import { logOut, session, setOver, stay, useIsOver, useMe } from './session.ts'

/** Over the page, which stays as it is below: nothing that was typed is lost to a session that ends. */
export function SessionOver() {
  const { session: w } = useWords()
  const { username, full_name } = useMe()
  const isOver = useIsOver()
  return (
    <>
      {!isOver && <EndsSoon />}
      <Dialog title={w.overTitle} about={w.overText(full_name ?? username)} isOpen={isOver}>
        <LoginForm username={username} to={location.pathname + location.search} onDone={() => setOver(false)}>
          <Button look="quiet" onPress={() => void logOut()}>
            {w.other}
          </Button>
        </LoginForm>
      </Dialog>
    </>
  )
}

function EndsSoon() {
  const { session: w } = useWords()
  const client = useQueryClient()
  const { data } = useQuery(session)
  const now = useNow()
  const { mutate, isPending } = useMutation({ mutationFn: () => stay(client) })
  if (!data) return null
  const { minutes, canStay } = timeLeft(data, now)
  if (minutes > warning_minutes || minutes <= 0) return null
  return (
    <div role="status" className={styles.warning} data-print="none">
      <Clock size={16} aria-hidden="true" />
      {w.endsSoon(minutes)}
      {canStay ? (
        <Button isPending={isPending} onPress={() => mutate()}>
          {w.stay}
        </Button>
      ) : (
        <Button onPress={() => setOver(true)}>{w.logInAgain}</Button>
      )}
    </div>
  )
}

function useNow() {
  const [now, setNow] = useState(serviceNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 20_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
