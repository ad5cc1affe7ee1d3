import { Languages, Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { usePreferences } from '../../app/preferences.ts'
import { themes } from '../../app/theme.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { languages, useWords } from '../../words/index.ts'
import { ChangePasswordForm } from '../session/change-password-form.tsx'
import { useMe } from '../session/session.ts'
import { StatementForm, StatementText } from '../session/statement-form.tsx'
import styles from './account.module.css'
import { Choice } from './choice.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Section } from './section.tsx'
import { Sessions } from './sessions.tsx'
import { useAccountWords } from './words.ts'

export function AccountPage() {
  const w = useAccountWords()
  const { features } = useMe()
  useTitle(w.title)
  return (
    <div className={styles.page}>
      <h1>{w.title}</h1>
      <Person />
      <Looks />
      <Password />
      <SecondFactor />
      {features.passkeys && <Passkeys />}
      <Statement />
      <Sessions />
    </div>
  )
}

function Person() {
  const w = useAccountWords()
  const { full_name, username, email, role, tenant } = useMe()
  const facts: [string, string | null | undefined][] = [
    [w.name, full_name],
    [w.username, username],
    [w.email, email],
    [w.role, role],
    [w.company, tenant?.name],
  ]
  return (
    <Section title={w.person} about={w.personHint}>
      <dl className={styles.facts}>
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Section>
  )
}

const icons = { system: Monitor, light: Sun, dark: Moon }

function Looks() {
  const w = useAccountWords()
  const { shell } = useWords()
  const { theme, language, prefer, error } = usePreferences()
  return (
    <Section title={w.looks} about={w.looksHint}>
      {error && <Refused error={error} />}
      <div className={styles.looks}>
        <Choice
          label={shell.appearance}
          value={theme}
          options={themes.map(id => {
            const Icon = icons[id]
            return { id, name: shell.theme[id], icon: <Icon size={15} aria-hidden="true" /> }
          })}
          onChange={chosen => prefer({ theme: chosen })}
        />
        <Choice
          label={w.language}
          value={language}
          options={languages.map(id => ({
            id,
            name: w.languages[id],
            icon: <Languages size={15} aria-hidden="true" />,
          }))}
          onChange={chosen => prefer({ language: chosen })}
        />
      </div>
    </Section>
  )
}

function Password() {
  const w = useAccountWords()
  const { password: pw, common } = useWords()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <Section
      title={w.password}
      about={w.passwordHint}
      action={<Button onPress={() => setOpen(true)}>{w.changePassword}</Button>}
    >
      <Dialog isOpen={isOpen} onClose={close} title={w.changePassword} about={w.othersEnd}>
        <ChangePasswordForm
          onDone={() => {
            announce(w.passwordChanged, w.othersEnded)
            close()
          }}
          buttons={isPending => (
            <DialogButtons>
              <Button onPress={close}>{common.cancel}</Button>
              <Button type="submit" look="main" isPending={isPending}>
                {pw.submit}
              </Button>
            </DialogButtons>
          )}
        />
      </Dialog>
    </Section>
  )
}

/** What the tenant has signers accept; nothing where it has no statement. */
function Statement() {
  const w = useAccountWords()
  const { signing } = useWords()
  const { signature_statement: statement, permissions } = useMe()
  if (!statement || !permissions.includes('signatures.create')) return null
  return (
    <Section title={w.statement} about={statement.is_accepted ? w.statementAccepted : undefined}>
      {statement.is_accepted ? (
        <StatementText version={statement.version}>{statement.text}</StatementText>
      ) : (
        <div className={styles.open}>
          <StatementForm
            statement={statement}
            onDone={() => announce(w.statementDone)}
            buttons={({ accept, isPending }) => (
              <div>
                <Button isPending={isPending} onPress={accept}>
                  {signing.accept}
                </Button>
              </div>
            )}
          />
        </div>
      )}
    </Section>
  )
}
