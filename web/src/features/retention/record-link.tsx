import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { recordKinds } from './search.ts'

interface Props {
  kind: (typeof recordKinds)[number]
  id: number
  version: string | null
  children: ReactNode
}

/** The page of a record that a disposal destroys something of. */
export function RecordLink({ kind, id, version, children }: Props) {
  if (kind === 'document')
    return (
      <Link to="/documents/$id" params={{ id }} search={{ version: version ?? undefined }}>
        {children}
      </Link>
    )
  return (
    <Link to={kind === 'deviation' ? '/deviations/$id' : '/capa/$id'} params={{ id }}>
      {children}
    </Link>
  )
}
