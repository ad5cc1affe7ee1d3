// The accounts and their access, as a list and as CSV.
import { type PrepareContext, query } from '#action'
import { type MadeFile, orFile } from '#action/file.ts'
import { makeFile } from '#action/made.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams } from '#kernel/schema.ts'
import { readSettings } from '#modules/accounts'
import { type CsvRow, csvOf } from '#platform/csv.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  accountSorts,
  accountsNow,
  accountsOf,
  countAccounts,
  listAccounts,
  listAccountsAfter,
  summarize,
} from './account-queries.ts'
import { messages } from './messages.ts'
import { findReview, numberOf } from './queries.ts'
import { remarksOf } from './rules.ts'
import { type Account, AccountFilter, AccountList, ReviewedList } from './schema.ts'

const accountsPerPage = 500

const columns: [title: string, of: (account: Account) => string | number | null][] = [
  ['User ID', account => account.user_id],
  ['Username', account => account.username],
  ['Full name', account => account.full_name],
  ['Role', account => account.role],
  ['Active', account => yesNo(account.is_active)],
  ['Source', account => account.source],
  ['Last log-in (UTC)', account => account.last_login_at],
  ['Dormant since (UTC)', account => account.dormant_since],
  ['Locked until (UTC)', account => account.locked_until],
  ['Second factor', account => yesNo(account.second_factor)],
  ['Identity verified', account => yesNo(account.identity_verified)],
  ['Granted', account => account.granted_count],
  ['Granted permissions', account => account.granted.join(', ')],
  ['Denied', account => account.denied_count],
  ['Denied permissions', account => account.denied.join(', ')],
]
const yesNo = (is: boolean) => (is ? 'yes' : 'no')

type Source = (tx: Tx) => ReturnType<typeof accountsNow> | ReturnType<typeof accountsOf>

async function* rowsOf({ read }: PrepareContext, source: Source, filter: AccountFilter): AsyncGenerator<CsvRow[]> {
  for (let after = 0; ; ) {
    const accounts = await read(tx => listAccountsAfter(tx, source(tx), filter, after, accountsPerPage))
    if (accounts.length > 0) yield accounts.map(account => columns.map(([, of]) => of(account)))
    if (accounts.length < accountsPerPage) return
    after = accounts.at(-1)!.user_id
  }
}

/** Complete before it is sent, because only then it is known that no account changed between two of its pages. */
async function accountsAsCsv(
  context: PrepareContext,
  { source, filter, id, name }: { source: Source; filter: AccountFilter; id: number | null; name: string },
): Promise<MadeFile> {
  const summary = await context.read(tx => summarize(tx, source(tx)))
  const titles = columns.map(([title]) => title)
  const bytes = csvOf(titles, rowsOf(context, source, filter))
  const file = await makeFile(context, bytes, { name: `${name}.csv`, content_type: 'text/csv' })
  const after = await context.read(tx => summarize(tx, source(tx)))
  if (after.accounts_sha256 !== summary.accounts_sha256) throw conflict(messages.access_review_export_interrupted())
  await context.inSeparateTransaction(async ({ record }) =>
    record('access_review.exported', id, {
      ...(id !== null && { number: numberOf(id) }),
      after: { ...filter, accounts: summary.accounts, accounts_sha256: summary.accounts_sha256 },
    }),
  )
  return { ...file, headers: { 'x-accounts': String(summary.accounts), 'x-accounts-sha256': summary.accounts_sha256 } }
}

async function pageOfAccounts(tx: Tx, source: ReturnType<Source>, query: AccountFilter) {
  const sort = parseSort(query.sort, accountSorts, { field: 'username', direction: 'asc' })
  const [page, { accounts, accounts_sha256 }] = await Promise.all([
    pageOf(
      query,
      (limit, offset) => listAccounts(tx, source, query, sort, limit, offset),
      () => countAccounts(tx, source, query),
    ),
    summarize(tx, source),
  ])
  return { ...page, accounts, accounts_sha256 }
}

export const accessReview = query({
  summary: 'List accounts and their access for a review',
  description:
    'Every account with its role, last log-in, single permissions and protection. `accounts_sha256` is of the whole list, whatever the filter and the page: the review is signed over it. A CSV has all accounts that match, with `X-Accounts` and `X-Accounts-Sha256` in its headers.',
  permission: 'users.read_logins',
  input: { query: AccountFilter },
  response: orFile(AccountList, 'text/csv'),
  async prepare(context, { query: { format, ...filter } }) {
    if (format !== 'csv') return undefined
    const now = context.services.clock.now()
    const name = `Access review ${now.toISOString().slice(0, 10)}`
    return accountsAsCsv(context, { source: tx => accountsNow(tx, now), filter, id: null, name })
  },
  async run({ tx, services, prepared }, { query }) {
    if (prepared) return prepared
    const [page, settings] = await Promise.all([
      pageOfAccounts(tx, accountsNow(tx, services.clock.now()), query),
      readSettings(tx),
    ])
    return { ...page, remarks: remarksOf(settings) }
  },
})

export const reviewedAccounts = query({
  summary: 'List the accounts of an access review',
  description: 'As they were when the review was signed.',
  permission: 'users.read_logins',
  input: { params: IdParams, query: AccountFilter },
  response: orFile(ReviewedList, 'text/csv'),
  async prepare(context, { params: { id }, query: { format, ...filter } }) {
    if (format !== 'csv') return undefined
    if (!(await context.read(tx => findReview(tx, id)))) throw notFound('Access review')
    return accountsAsCsv(context, { source: tx => accountsOf(tx, id), filter, id, name: numberOf(id) })
  },
  async run({ tx, prepared }, { params, query }) {
    if (prepared) return prepared
    if (!(await findReview(tx, params.id))) throw notFound('Access review')
    return pageOfAccounts(tx, accountsOf(tx, params.id), query)
  },
})
