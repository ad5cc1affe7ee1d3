import type { AnySheet, SheetName } from '../sheet.ts'

/** The sheets that a manifest can have. */
export const sheets: Partial<Record<SheetName, AnySheet>> = {}
