// The rules of the house, checked on the files themselves: what may import what, who writes which table, who reads the environment.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'

/** Lower layers first; each may use those before it. A layer is a folder of src/, or a file of its own. */
const layers = ['kernel', 'platform', 'action', 'http', 'modules', 'app', 'commands', 'main']

/** Which module changes a table. Any may read it, where it joins what it shows. */
const owners: Record<string, string> = {
  attachments: 'casework',
  audit_entries: 'audit',
  capa_documents: 'casework',
  counters: 'documents',
  credentials: 'accounts',
  deviation_capas: 'casework',
  deviation_deviations: 'casework',
  deviation_documents: 'casework',
  document_comments: 'documents',
  document_decisions: 'documents',
  document_delegations: 'documents',
  document_history: 'documents',
  document_reviews: 'documents',
  document_types: 'workflows',
  document_versions: 'documents',
  documents: 'documents',
  form_template_versions: 'forms',
  form_templates: 'forms',
