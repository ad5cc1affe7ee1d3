/** Everybody's password, published in docs/tour.md. The command refuses to run where that would do harm. */
export const demoPassword = 'Paper-trail-of-2026'

export const demoTenant = { slug: 'attest-demo', name: 'Linden Pharma (demo)' }

interface DemoPerson {
  username: string
  full_name: string
  role: string
  /** The things to try with this role. */
  can: string
}

/** The first is the tenant's Admin, who creates the others. */
export const cast: readonly [admin: DemoPerson, ...others: DemoPerson[]] = [
  {
    username: 'nora',
    full_name: 'Nora Lindqvist',
    role: 'Admin',
    can: 'users, roles, settings, and all that follows',
  },
  {
    username: 'marta',
    full_name: 'Marta Fischer',
    role: 'QA Manager',
    can: 'document types, workflow templates, make documents obsolete',
  },
  {
    username: 'jonas',
    full_name: 'Jonas Weber',
    role: 'QA',
    can: 'review and approve, investigate deviations, read the audit trail',
  },
  { username: 'priya', full_name: 'Priya Raman', role: 'QA', can: 'the second signature that jonas cannot give' },
  { username: 'emil', full_name: 'Emil Sorensen', role: 'Author', can: 'upload, change and submit documents' },
  { username: 'lucia', full_name: 'Lucia Moretti', role: 'Author', can: 'the same, with documents of her own' },
  { username: 'tom', full_name: 'Tom Okafor', role: 'User', can: 'report deviations, read what is effective' },
  { username: 'hana', full_name: 'Hana Sato', role: 'Auditor', can: 'read everything, change nothing' },
]

/** A platform user sees tenants, and no record of theirs. */
export const platformUser = { username: 'olga', can: 'tenants and health of the installation, none of their records' }

export const emailOf = (username: string) => `${username}@linden-pharma.example`
