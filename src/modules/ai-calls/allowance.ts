import type { ActionContext } from '#action'
import { AppError } from '#kernel/errors.ts'
import { readSettings } from '#modules/accounts'
import { messages } from './messages.ts'
import { holdPolicy, type Policy, readMonth, readPolicy } from './queries.ts'

/** The limits of a tenant for its calendar month and what it has used; a running call counts as the most that it can use. */
export interface Allowance {
  policy: Policy
  used: { tokens: number; cost_micros: number }
  most: { tokens: number | null; cost_micros: number | null }
  /** The first moment of the month, and of the next one. */
  from: string
  until: string
}

export type AllowanceContext = Pick<ActionContext<unknown>, 'tx' | 'services'>

export async function readAllowance({ tx, services }: AllowanceContext): Promise<Allowance> {
  const policy = await readPolicy(tx)
  const { time_zone } = await readSettings(tx)
  const { from, until, tokens, cost_micros } = await readMonth(tx, time_zone, services.clock.now())
  return {
    policy,
    used: { tokens, cost_micros },
    most: {
      tokens: lesser(policy.monthly_tokens, services.config.ai_monthly_tokens),
      cost_micros: policy.monthly_cost_micros,
    },
    from,
    until,
  }
}

/** Under the tenant's lock, so that two calls at the same moment cannot both take the last tokens. */
export async function takeAllowance(context: AllowanceContext): Promise<Allowance> {
  await holdPolicy(context.tx)
  return readAllowance(context)
}

function lesser(own: number | null, installation: number): number | null {
  const least = Math.min(own ?? Number.POSITIVE_INFINITY, installation)
  return Number.isFinite(least) ? least : null
}

export const costOf = (
  { input_price_micros, output_price_micros }: Policy,
  { input_tokens, output_tokens }: { input_tokens: number; output_tokens: number },
) => Math.ceil((input_tokens * input_price_micros + output_tokens * output_price_micros) / 1_000_000)

export function requireRoom(
  { used, most, until }: Allowance,
  asked: { tokens: number; cost_micros: number },
  now: Date,
) {
  const refusal =
    most.tokens !== null && used.tokens + asked.tokens > most.tokens
      ? messages.assistant_tokens_used_up({ renewed_at: until })
      : most.cost_micros !== null && used.cost_micros + asked.cost_micros > most.cost_micros
        ? messages.assistant_budget_used_up({ renewed_at: until })
        : undefined
  if (!refusal) return
  const seconds = Math.max(1, Math.ceil((Date.parse(until) - now.getTime()) / 1000))
  throw new AppError(503, refusal, { 'retry-after': String(seconds) })
}
