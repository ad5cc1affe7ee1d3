import type { Scene } from './scene.ts'

const definition = {
  states: [
    { name: 'draft', label: 'Draft', kind: 'initial' },
    { name: 'in_review', label: 'In review', kind: 'review' },
    { name: 'effective', label: 'Effective', kind: 'effective' },
    { name: 'superseded', label: 'Superseded', kind: 'final' },
    { name: 'obsolete', label: 'Obsolete', kind: 'final' },
  ],
  transitions: [
    { name: 'submit', from: 'draft', to: 'in_review', permission: 'documents.submit' },
    {
      name: 'approve',
      from: 'in_review',
      to: 'effective',
      approval: {
        mode: 'parallel',
        signature_required: true,
        signature_type: 'approval',
        author_may_approve: false,
        rules: [{ kind: 'role', who: 'QA', count: 1 }],
      },
    },
    { name: 'reject', from: 'in_review', to: 'draft', comment_required: true },
    { name: 'supersede', from: 'effective', to: 'superseded', automatic: 'on_supersede' },
    { name: 'obsolete', from: 'effective', to: 'obsolete', permission: 'documents.obsolete', comment_required: true },
  ],
}

const formSections = [
  {
    key: 'temperature',
    title: 'Temperature excursion',
    fields: [
      { key: 'store', label: 'Cold store', type: 'text', required: true },
      {
        key: 'direction',
        label: 'Direction',
        type: 'select',
        options: [
          { value: 'above', label: 'Above the limit' },
          { value: 'below', label: 'Below the limit' },
        ],
      },
    ],
  },
]

export async function configuration({ ask, role, type, workflow, document, person }: Scene) {
  await ask('GET /api/settings/', 'nora')
  await ask('PUT /api/settings/', 'nora', {
    body: {
      time_zone: 'Europe/Berlin',
      due_days: { critical: 15, major: 30, minor: 60 },
      report_takers: [{ department: 'Warehouse', user_id: person('jonas') }],
      search_synonyms: ['cold store | refrigerator | cold room'],
      change_reason: 'As the deviation procedure says',
    },
  })
  await ask('PUT /api/settings/company-name', 'nora', {
    body: { name: 'Linden Pharma SE', change_reason: 'The company has another legal form' },
  })

  await ask('GET /api/permissions/', 'nora')
  await ask('GET /api/roles/', 'nora', { query: { page_size: 1 } })
  const { id: own } = await ask('POST /api/roles/', 'nora', {
    body: {
      name: 'Warehouse lead',
      description: 'Reports for the warehouse, and reads all deviations',
      inherits_role_id: role('User'),
      granted: ['deviations.read'],
    },
  })
  await ask('GET /api/roles/:id', 'nora', { params: { id: own } })
  await ask('POST /api/roles/preview', 'nora', { body: { role_id: own, granted: ['deviations.read', 'capa.read'] } })
  await ask('PUT /api/roles/:id', 'nora', {
    params: { id: own },
    body: { granted: ['deviations.read', 'capa.read'], change_reason: 'Reads the CAPAs of the warehouse too' },
  })
  await ask('DELETE /api/roles/:id', 'nora', { params: { id: own } })

  await ask('GET /api/workflow-templates/', 'marta', { query: { page_size: 1 } })
  const { id: short } = await ask('POST /api/workflow-templates/', 'nora', {
    body: { name: 'One signed approval', description: 'QA approves with a signature', definition },
  })
  await ask('GET /api/workflow-templates/:id', 'marta', { params: { id: workflow('Standard approval') } })
  await ask('PUT /api/workflow-templates/:id', 'nora', {
    params: { id: short },
    body: { description: 'For work instructions: QA approves with a signature', change_reason: 'Says what it is for' },
  })
  await ask('GET /api/workflow-templates/:id/versions', 'marta', { params: { id: short } })
  await ask('GET /api/workflow-templates/:id/documents', 'marta', {
    params: { id: workflow('GMP two-step approval') },
    query: { page_size: 1 },
  })
  await ask('POST /api/workflow-templates/preview', 'marta', {
    body: { name: 'One signed approval', definition, author_id: person('jonas') },
  })
  await ask('POST /api/workflow-templates/:id/preview', 'marta', {
    params: { id: workflow('GMP two-step approval') },
    body: { document_id: document('SOP-0003') },
  })

  await ask('GET /api/document-types/', 'marta', { query: { page_size: 1 } })
  const { id: logbook } = await ask('POST /api/document-types/', 'nora', {
    body: {
      ...{ name: 'Logbook', prefix: 'LOG', workflow_template_id: short },
      ...{ description: 'A bound book of an equipment', review_period_months: 36, training_gate: 'none' },
    },
  })
  await ask('GET /api/document-types/:id', 'marta', { params: { id: type('SOP') } })
  await ask('POST /api/document-types/:id/effects', 'nora', {
    params: { id: type('SOP') },
    body: { review_period_months: 36, training_gate: 'before_access' },
  })
  await ask('PUT /api/document-types/:id', 'nora', {
    params: { id: logbook },
    body: { review_period_months: 24, change_reason: 'Reviewed with the SOPs' },
  })

  await ask('GET /api/ai/settings', 'nora')
  await ask('PUT /api/ai/settings', 'nora', {
    body: { monthly_tokens: 2_000_000, change_reason: 'The budget of the year' },
  })
  await ask('GET /api/notifications/preferences', 'jonas')
  await ask('PUT /api/notifications/preferences', 'jonas', {
    body: { preferences: [{ type: 'document_approval_requested', in_app: true, email: 'immediate' }] },
  })
}

export async function forms({ ask }: Scene) {
  await ask('POST /api/deviations/form-templates/preview', 'marta', {
    body: { name: 'Temperature excursion', sections: formSections },
  })
  const { id } = await ask('POST /api/deviations/form-templates/', 'marta', {
    body: { name: 'Temperature excursion', description: 'For cold stores', sections: formSections },
  })
  await ask('GET /api/deviations/form-templates/', 'marta', { query: { page_size: 1 } })
  await ask('GET /api/deviations/form-templates/:id', 'marta', { params: { id } })
  await ask('PUT /api/deviations/form-templates/:id', 'marta', {
    params: { id },
    body: { name: 'Excursion of temperature', change_reason: 'As the procedure calls it' },
  })
  await ask('GET /api/deviations/form-templates/:id/versions', 'marta', { params: { id }, query: { page_size: 5 } })
  await ask('GET /api/deviations/form-templates/:id/versions/:version', 'marta', { params: { id, version: 1 } })
  await ask('GET /api/deviations/form-templates/:id/schema', 'marta', { params: { id } })
}

export async function groups({ ask, person }: Scene) {
  const { id } = await ask('POST /api/groups/', 'nora', {
    body: { name: 'Warehouse night shift', description: 'On call from 22 to 6', group_type: 'department' },
  })
  const params = { id }
  await ask('POST /api/groups/:id/add-member', 'nora', {
    params,
    body: { user_ids: [person('tom'), person('emil')], change_reason: 'Roster of spring' },
  })
  await ask('GET /api/groups/', 'nora', { query: { page_size: 1, q: 'night' } })
  await ask('GET /api/groups/:id', 'nora', { params })
  await ask('GET /api/groups/:id/members', 'nora', { params, query: { page_size: 1 } })
  await ask('GET /api/groups/:id/use', 'nora', { params })
  await ask('PUT /api/groups/:id', 'nora', {
    params,
    body: { description: 'On call from 21 to 6', change_reason: 'Roster of summer' },
  })
  await ask('DELETE /api/groups/:id/remove-member/:user_id', 'nora', {
    params: { ...params, user_id: person('emil') },
    body: { change_reason: 'Works by day again' },
  })
  await ask('DELETE /api/groups/:id', 'nora', { params, body: { change_reason: 'The night shift ends' } })
}

const bodyOfTemplate = '# Cleaning of {{equipment}}\n\nThe cleaning agent is {{agent}}.'
const variables = [
  { name: 'equipment', label: 'Equipment', type: 'text', required: true, help: 'Its name and number' },
  { name: 'agent', label: 'Cleaning agent', type: 'text', default: 'purified water' },
]
const values = { equipment: 'the fluid bed dryer FD-03', agent: 'ethanol 70 %' }

export async function templates({ ask, type }: Scene) {
  await ask('POST /api/templates/preview', 'marta', {
    body: { body: bodyOfTemplate, variables, values, title: 'Cleaning of the dryer' },
  })
  const { id } = await ask('POST /api/templates/', 'marta', {
    body: {
      ...{ name: 'Cleaning procedure', description: 'For equipment without a CIP', category: 'Production' },
      ...{ document_type_id: type('SOP'), body: bodyOfTemplate, variables },
    },
  })
  const params = { id }
  await ask('GET /api/templates/', 'emil', { query: { page_size: 1 } })
  await ask('GET /api/templates/:id', 'emil', { params })
  await ask('PUT /api/templates/:id', 'marta', {
    params,
    body: { body: `${bodyOfTemplate}\n\nSwabs are taken after each cleaning.`, change_reason: 'Swabs were missing' },
  })
  await ask('GET /api/templates/:id/versions', 'emil', { params, query: { page_size: 5 } })
  await ask('GET /api/templates/:id/versions/:version', 'emil', { params: { id, version: 1 } })
  await ask('POST /api/templates/:id/preview', 'emil', { params, body: { variables: values } })
  await ask('POST /api/templates/use', 'emil', {
    body: { template_id: id, title: 'Cleaning of the dryer FD-03', variables: values },
  })
  await ask('DELETE /api/templates/:id', 'marta', { params })
}

/** Changes of the configuration that another person approves, and the statement that signers accept: last, as they concern everybody. */
export async function approvedConfiguration({ ask, send }: Scene) {
  const { items } = await send('GET', '/api/workflow-templates/?q=One%20signed', 'marta')
  const params = { id: items[0].id }
  const { signature_statement } = await send('PUT', '/api/settings/', 'nora', {
    body: {
      signature_statement: { text: 'My electronic signature is as binding as my signature by hand.' },
      change_reason: 'As announced to the authority',
    },
  })
  await ask('POST /api/auth/accept-signature-statement', 'marta', { body: { version: signature_statement.version } })
  await send('POST', '/api/auth/accept-signature-statement', 'nora', { body: { version: signature_statement.version } })
  await send('PUT', '/api/settings/', 'nora', {
    body: { configuration_needs_approval: true, change_reason: 'Two people for each change' },
  })
  const propose = (description: string) =>
    ask('PUT /api/workflow-templates/:id', 'marta', {
      params,
      body: { description, change_reason: 'Found unclear by the inspection' },
      status: 202,
    })
  const first = await propose('QA approves with a signature, within a week')
  await ask('GET /api/configuration-changes/', 'nora', { query: { page_size: 1 } })
  await ask('GET /api/configuration-changes/:id', 'nora', { params: { id: first.id } })
  await ask('POST /api/configuration-changes/:id/reject', 'nora', {
    params: { id: first.id },
    body: { decision_reason: 'No time was agreed' },
  })
  const second = await propose('One signed approval by QA')
  await ask('POST /api/configuration-changes/:id/withdraw', 'marta', {
    params: { id: second.id },
    body: { decision_reason: 'A better sentence follows' },
  })
  const third = await propose('For work instructions: one signed approval by QA, and not by the author')
  await ask('POST /api/configuration-changes/:id/approve', 'nora', {
    params: { id: third.id },
    body: { intent: 'I approve this change of the configuration' },
  })
  return first
}
