import type { Answer } from '../../api/client.ts'

export type Account = Answer<'GET /api/users/access-review'>['items'][number]

/** What somebody decided about one account, as it was then. */
export interface Decision {
  isOk: boolean
  remark: string
  /** Of the account; another one of its access asks for another decision. */
  access: string
}
export type Decisions = Record<number, Decision>

/** All that the review signs of an account; last log-in and lock change by use. */
export const accessOf = ({ last_login_at, locked_until, ...account }: Account) =>
  JSON.stringify({ ...account, dormant_since: account.dormant_since !== null })

/** The decision about an account, unless its access changed since. */
export function decisionOf(decisions: Decisions, account: Account): Decision | undefined {
  const decision = decisions[account.user_id]
  return decision?.access === accessOf(account) ? decision : undefined
}

export function countDecided(decisions: Decisions, accounts: readonly Account[]) {
  const made = accounts.map(each => decisionOf(decisions, each))
  return {
    decided: made.filter(each => each !== undefined).length,
    findings: made.filter(each => each?.isOk === false).length,
    withoutRemark: made.filter(each => each?.isOk === false && each.remark.trim() === '').length,
  }
}

/** What was found, a line for each account. */
export const findingsOf = (
  decisions: Decisions,
  accounts: readonly Account[],
  write: (name: string, username: string, remark: string) => string,
) =>
  accounts
    .map(account => ({ account, decision: decisionOf(decisions, account) }))
    .filter(({ decision }) => decision?.isOk === false)
    .map(({ account: { full_name, username }, decision }) =>
      write(full_name ?? username, username, decision!.remark.trim()),
    )
    .join('\n')
