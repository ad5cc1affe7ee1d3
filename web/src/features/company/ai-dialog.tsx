import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import type { AiSettings } from './ai-settings.ts'
import { fromMicros, numberIn, toMicros } from './amounts.ts'
import styles from './company.module.css'
import { useCompanyWords } from './words.ts'

interface Props {
  settings: AiSettings
  /** Tokens of this month. */
  used: number
  onClose: () => void
}

/** The switch, the limits and the prices, with the reason. */
export function AiDialog({ settings, used, onClose }: Props) {
  const words = useCompanyWords()
  const { ai: w } = words
  const [isEnabled, setEnabled] = useState(settings.is_enabled)
  const [tokens, setTokens] = useState(settings.monthly_tokens?.toString() ?? '')
  const [budget, setBudget] = useState(
    settings.monthly_cost_micros === null ? '' : fromMicros(settings.monthly_cost_micros),
  )
  const [input, setInput] = useState(fromMicros(settings.input_price_micros))
  const [output, setOutput] = useState(fromMicros(settings.output_price_micros))
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const amounts = {
    monthly_tokens: tokens.trim() === '' ? null : numberIn(tokens),
    monthly_cost_micros: budget.trim() === '' ? null : toMicros(budget),
    input_price_micros: toMicros(input),
    output_price_micros: toMicros(output),
  }
  const wrongOf = (name: keyof typeof amounts) => (isTried && amounts[name] === undefined ? w.notNumber : undefined)
  const { monthly_tokens } = amounts
  return (
    <ActDialog
      title={w.change}
      about={w.about}
      revision={settings.revision}
      changed={words.changedMeanwhile}
      size="m"
      submit={words.save}
      isComplete={() => {
        setTried(true)
        return Object.values(amounts).every(each => each !== undefined)
      }}
      send={revision => {
        const {
          monthly_tokens = null,
          monthly_cost_micros = null,
          input_price_micros = 0,
          output_price_micros = 0,
        } = amounts
        return call('PUT /api/ai/settings', {
          body: {
            ...{ is_enabled: isEnabled, monthly_tokens, monthly_cost_micros, input_price_micros, output_price_micros },
            revision,
            ...(reason.trim() && { change_reason: reason.trim() }),
          },
        })
      }}
      onDone={() => announce(w.saved)}
      onClose={onClose}
    >
      {problem => (
        <>
          <Checkbox isSelected={isEnabled} onChange={setEnabled} detail={w.enabledHint}>
            {w.enabled}
          </Checkbox>
          {settings.is_enabled && !isEnabled && (
            <p className={styles.danger} role="status">
              {w.turnsOff}
            </p>
          )}
          <Field
            label={w.limitField}
            hint={w.limitHint}
            inputMode="numeric"
            value={tokens}
            onChange={setTokens}
            wrong={wrongOf('monthly_tokens') ?? problem?.of('monthly_tokens')}
          />
          {typeof monthly_tokens === 'number' && monthly_tokens < used && (
            <p className={styles.danger} role="status">
              {w.belowUse}
            </p>
          )}
          <Field
            label={w.budgetField}
            hint={w.budgetHint}
            inputMode="decimal"
            value={budget}
            onChange={setBudget}
            wrong={wrongOf('monthly_cost_micros') ?? problem?.of('monthly_cost_micros')}
          />
          <div className={styles.counts}>
            <Field
              label={w.inputPrice}
              hint={w.priceHint}
              inputMode="decimal"
              value={input}
              onChange={setInput}
              wrong={wrongOf('input_price_micros') ?? problem?.of('input_price_micros')}
            />
            <Field
              label={w.outputPrice}
              hint={w.priceHint}
              inputMode="decimal"
              value={output}
              onChange={setOutput}
              wrong={wrongOf('output_price_micros') ?? problem?.of('output_price_micros')}
            />
          </div>
          <Field
            label={words.reason}
            hint={words.reasonHint}
            rows={2}
            value={reason}
            onChange={setReason}
            wrong={problem?.of('change_reason')}
          />
        </>
      )}
    </ActDialog>
  )
}
