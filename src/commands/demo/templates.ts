import { lines } from './messages.ts'
import type { Part } from './visit.ts'

const template = 'Work instruction'
const title = 'Taking a sample of purified water'

/** Realistic values for the fields of the template. */
const variables = {
  task: 'A sample of purified water is taken at a point of use for the test of total organic carbon and conductivity.',
  workplace: 'Points of use PW-01 to PW-14',
  performed_by: 'Laboratory technicians who are trained in sampling',
  duration: '10 minutes for each point',
  protection:
    'Safety glasses and powder-free gloves. The loop is at 80 °C while it is sanitised: no sample is taken then.',
  materials: 'Sampling bottle of 250 ml, rinsed for TOC, within its date\nLabels\nTimer\nIsopropanol 70 %',
  steps:
    'Look at the display of the loop: temperature below 30 °C, no alarm.\n\nWipe the outlet with isopropanol and let it dry.\n\nOpen the valve fully and let the water run for 2 minutes by the timer.\n\nRinse the bottle and its cap three times with the water, without touching the rim.\n\nFill the bottle to the neck without a bubble, close it, and label it at the point of use.\n\nBring it to the laboratory within 2 hours, cool and dark.',
  critical_points:
    'A flush of less than 2 minutes gives a TOC that is too high. A bottle that was touched inside is replaced.',
  result: 'A full bottle with a label that names the point, the date, the time and who took the sample.',
  record: 'the sampling list of the day',
  call: 'the shift supervisor of utilities',
}

/** A draft that an author made from a template. */
export const templates: Part = async visit => {
  const there = await visit.look(tx =>
    tx.selectFrom('document_versions').select('id').where('title', '=', title).limit(1).executeTakeFirst(),
  )
  if (there) return
  const { id: template_id } = await visit.look(tx =>
    tx.selectFrom('content_templates').select('id').where('name', '=', template).executeTakeFirstOrThrow(),
  )
  visit.say(lines.demo_from_template({ template, title }))
  await visit.as('emil').post('/api/templates/use', { template_id, title, variables, create_document: true })
}
