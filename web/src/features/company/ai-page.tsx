import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, refresh } from '../../api/queries.ts'
import { FactList } from '../../records/fact-list.tsx'
import list from '../../records/list/list-page.module.css'
import { Button } from '../../ui/button.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { AiDialog } from './ai-dialog.tsx'
import type { AiSettings } from './ai-settings.ts'
import { AiUse } from './ai-use.tsx'
import { micros } from './amounts.ts'
import styles from './company.module.css'
import { useCompanyWords } from './words.ts'

/** What does the assistant cost us, and may people go on asking it? */
export function AiPage() {
  const { ai: w } = useCompanyWords()
  const { permissions } = useMe()
  const client = useQueryClient()
  const [isChanging, setChanging] = useState(false)
  const settings = useQuery(ask('GET /api/ai/settings', {}))
  const usage = useQuery(ask('GET /api/ai/usage', {}))
  const error = settings.error ?? usage.error
  useTitle(w.title)
  return (
    <div className={list.page}>
      <header className={list.head}>
        <div>
          <h1>{w.title}</h1>
          <p className="soft">{w.about}</p>
        </div>
      </header>
      {error ? (
        <Unreadable
          error={error}
          onRetry={() => {
            void settings.refetch()
            void usage.refetch()
          }}
        />
      ) : !settings.data || !usage.data ? (
        <Loading lines={14} />
      ) : (
        <div className={styles.ai}>
          <AiUse usage={usage.data} settings={settings.data} />
          <AiFacts
            settings={settings.data}
            onChange={permissions.includes('ai.manage') ? () => setChanging(true) : undefined}
          />
        </div>
      )}
      {isChanging && settings.data && usage.data && (
        <AiDialog
          settings={settings.data}
          used={usage.data.tokens}
          onClose={() => {
            setChanging(false)
            void refresh(client, 'ai/', 'auth/me')
          }}
        />
      )}
    </div>
  )
}

function AiFacts({ settings, onChange }: { settings: AiSettings; onChange: (() => void) | undefined }) {
  const words = useCompanyWords()
  const { ai: w } = words
  const { locale, moment } = useFormat()
  const count = (n: number) => w.tokens(new Intl.NumberFormat(locale).format(n))
  const money = (amount: number) => micros(amount, locale)
  const { provider, monthly_tokens, monthly_cost_micros, installation_monthly_tokens, updated_by, updated_at } =
    settings
  const hasPrices = settings.input_price_micros > 0 || settings.output_price_micros > 0
  return (
    <aside>
      <section aria-labelledby="ai-settings">
        <h2 id="ai-settings">{w.settings}</h2>
        <p>
          {provider === null ? (
            <Status of="inactive" name={w.absent} />
          ) : settings.is_enabled ? (
            <Status of="active" name={w.on} />
          ) : (
            <Status of="inactive" name={w.off} />
          )}
        </p>
        {provider === null && <p className="soft">{w.absentHint}</p>}
        <FactList
          facts={[
            [w.provider, provider],
            [w.model, settings.model],
            [w.limit, monthly_tokens === null ? w.unlimited : count(monthly_tokens)],
            [w.installationLimit, installation_monthly_tokens !== null && count(installation_monthly_tokens)],
            [w.budget, monthly_cost_micros !== null && money(monthly_cost_micros)],
            [
              w.prices,
              hasPrices
                ? w.priceOf(money(settings.input_price_micros), money(settings.output_price_micros))
                : w.noPrices,
            ],
          ]}
        />
        {updated_by && updated_at && <p className="soft">{words.lastChange(nameOf(updated_by), moment(updated_at))}</p>}
        {onChange && (
          <div data-print="none">
            <Button onPress={onChange}>{w.change}</Button>
          </div>
        )}
      </section>
    </aside>
  )
}
