import type { Config } from '../config.ts'
import { openAnchorFolder } from './folder.ts'
import { type AnchorStore, inTime } from './store.ts'

/** The places of AUDIT_ANCHOR. */
export const openAnchorStores = ({ audit_anchors }: Pick<Config, 'audit_anchors'>): AnchorStore[] =>
  audit_anchors.folders.map(folder => inTime(openAnchorFolder(folder)))
