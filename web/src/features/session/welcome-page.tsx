import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useWords } from '../../words/index.ts'
import { Card } from './card.tsx'
import { ChangePasswordForm } from './change-password-form.tsx'
import { firstStep, postpone } from './first-steps.ts'
import { logOut, me, useMe } from './session.ts'
import { SessionOver } from './session-over.tsx'
import { TotpEnrolment } from './totp-enrolment.tsx'

/** Before anything else: a password of one's own, and the second factor that the company wants. */
export function WelcomePage() {
  const { welcome: w, password: pw, secondFactor, session } = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { to = '/' } = useSearch({ from: '/welcome' })
  const user = useMe()
  const [typed, setTyped] = useState<string>()
  const isPassword = user.must_change_password && typed === undefined
  const goOn = async () => {
    if ((await firstStep(client, await client.ensureQueryData(me))) === undefined)
      await navigate({ href: to, replace: true })
  }
  const leave = (
    <Button look="quiet" onPress={() => void logOut()}>
      {session.logOut}
    </Button>
  )
  return (
    <>
      <Card title={isPassword ? w.password : w.secondFactor} about={isPassword ? w.passwordHint : undefined}>
        {isPassword ? (
          <ChangePasswordForm
            isTemporary
            onDone={password => {
              setTyped(password)
              void goOn()
            }}
            buttons={isPending => (
              <div className="row at-end">
                {leave}
                <Button type="submit" look="main" isPending={isPending}>
                  {pw.submit}
                </Button>
              </div>
            )}
          />
        ) : (
          <TotpEnrolment
            password={typed}
            onDone={() => {
              announce(secondFactor.done)
              void goOn()
            }}
            buttons={({ label, isPending }) => (
              <div className="row at-end">
                <Button
                  look="quiet"
                  onPress={() => {
                    postpone()
                    void goOn()
                  }}
                >
                  {w.later}
                </Button>
                <Button type="submit" look="main" isPending={isPending}>
                  {label}
                </Button>
              </div>
            )}
          />
        )}
      </Card>
      <SessionOver />
    </>
  )
}
