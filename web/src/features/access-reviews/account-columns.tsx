import type { Column } from '../../ui/data-table.tsx'
import { Person } from '../../ui/person.tsx'
import { useEvidenceWords } from '../../words/evidence.ts'
import styles from './access.module.css'
import { LastLogin, Marks, SinglePermissions } from './account-parts.tsx'
import type { Account } from './decisions.ts'

export function useAccountColumns(): Column<Account>[] {
  const { access: w } = useEvidenceWords()
  return [
    {
      id: 'account',
      title: w.columns.account,
      sort: 'username',
      isHeading: true,
      cell: row => (
        <span className={styles.account}>
          <Person of={row} />
          <span className="soft">{row.full_name !== null && row.username}</span>
          <Marks of={row} />
        </span>
      ),
    },
    { id: 'role', title: w.columns.role, sort: 'role', cell: row => row.role },
    { id: 'permissions', title: w.columns.permissions, rank: 2, cell: row => <SinglePermissions of={row} /> },
    { id: 'login', title: w.columns.login, sort: 'last_login_at', rank: 3, cell: row => <LastLogin of={row} /> },
    {
      id: 'factor',
      title: w.columns.secondFactor,
      rank: 1,
      cell: row => (row.second_factor ? w.set : <span className="soft">{w.notSet}</span>),
    },
    {
      id: 'identity',
      title: w.columns.identity,
      rank: 1,
      cell: row => (row.identity_verified ? w.verified : <span className="soft">{w.notVerified}</span>),
    },
  ]
}
