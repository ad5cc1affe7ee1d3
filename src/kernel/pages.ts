interface Page {
  /** Below PUBLIC_URL. `:capa_id` stands for the CAPA of an effectiveness review, `:program_id` for the program of an assignment. */
  address: string
  /** The application has a page at this address. Messages link to no other, so that no link leads to nothing. */
  isServed: boolean
}

type Place =
  | 'document'
  | 'deviation'
  | 'capa'
  | 'effectiveness_review'
  | 'training_assignment'
  | 'configuration_change'
  | 'tenant_export'
  | 'disposal'
  | 'migration_batch'
  | 'reset_password'

/** The page for people of each record that has one, and that on which a password is chosen. */
export const pages: Record<Place, Page> = {
  document: { address: '/documents/:id', isServed: true },
  deviation: { address: '/deviations/:id', isServed: true },
  capa: { address: '/capa/:id', isServed: true },
  effectiveness_review: { address: '/capa/:capa_id', isServed: true },
  training_assignment: { address: '/training/:program_id', isServed: true },
  configuration_change: { address: '/admin/changes/:id', isServed: true },
  tenant_export: { address: '/admin/exports/:id', isServed: true },
  disposal: { address: '/admin/disposals/:id', isServed: true },
  migration_batch: { address: '/admin/imports/:id', isServed: true },
  reset_password: { address: '/reset-password', isServed: true },
}
