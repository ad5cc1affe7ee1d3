import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useMe } from '../session/session.ts'
import { PartLink } from './part-link.tsx'
import styles from './set-up.module.css'
import { useSetUpWords } from './words.ts'

type Company = Answer<'GET /api/set-up/'>['company']
type Language = 'en' | 'de'

const here = () => Intl.DateTimeFormat().resolvedOptions().timeZone

export function CompanyForm({ company }: { company: Company }) {
  const { company: w, notYours } = useSetUpWords()
  const { permissions } = useMe()
  const client = useQueryClient()
  // Somebody who sets a company up sits in its time zone, more often than not.
  const [zone, setZone] = useState(company.is_done ? company.time_zone : here())
  const [language, setLanguage] = useState(company.language as Language)
  const zones = [...new Set([zone, company.time_zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort()
  const { mutate, isPending, error } = useMutation<unknown, Problem>({
    mutationFn: () => call('PUT /api/settings/', { body: { time_zone: zone, language } }),
    async onSuccess() {
      await refresh(client, 'set-up/', 'settings/', 'auth/me')
      announce(w.saved)
    },
  })
  if (!permissions.includes('settings.manage')) return <p className="soft">{notYours}</p>
  return (
    <>
      <p className="soft">{w.about}</p>
      <Form onSend={() => isPending || mutate()}>
        {error && error.issues.length === 0 && <Refused error={error} />}
        <div className={styles.pair}>
          <Select
            label={w.zone}
            value={zone}
            onChange={setZone}
            options={zones.map(name => ({ id: name, name: name.replaceAll('_', ' ') }))}
            wrong={error?.of('time_zone')}
          />
          <Select
            label={w.language}
            value={language}
            onChange={value => setLanguage(value as Language)}
            options={Object.entries(w.languages).map(([id, name]) => ({ id, name }))}
            wrong={error?.of('language')}
          />
        </div>
        <Button type="submit" look="main" isPending={isPending}>
          {w.save}
        </Button>
      </Form>
      <PartLink name="settings" />
    </>
  )
}
