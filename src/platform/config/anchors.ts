import { isAbsolute, resolve } from 'node:path'
import { isAddress } from '../mail/address.ts'
import type { Variables } from './variables.ts'

export interface AnchorsConfig {
  folders: string[]
  mailboxes: string[]
}

export function readAnchors({ list, text, wrong }: Variables): AnchorsConfig {
  const folders: string[] = []
  const mailboxes: string[] = []
  const anchors = list('AUDIT_ANCHOR')
  for (const anchor of anchors) {
    const [, kind, place = ''] = /^(folder|mail):(.+)$/.exec(anchor) ?? []
    if (kind === 'folder' && isAbsolute(place)) folders.push(resolve(place))
    else if (kind === 'mail' && isAddress(place)) mailboxes.push(place)
    else if (anchor !== 'none' || anchors.length > 1)
      wrong.push(
        `AUDIT_ANCHOR has ${JSON.stringify(anchor)}: it must be none, or folder:/absolute/path and mail:qa@example.com with commas between them`,
      )
  }
  if (mailboxes.length > 0 && !text('SMTP_URL')) wrong.push('AUDIT_ANCHOR names a mailbox, which needs SMTP_URL')
  return { folders, mailboxes }
}
