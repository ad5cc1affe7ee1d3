import type { Section } from './definition.ts'

const yesNo = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
  { value: 'unknown', label: 'Not known yet' },
]

/** Usual questions to the reporter of a deviation, beyond the fields that every deviation has. */
export const starterForm: { name: string; description: string; sections: Section[] } = {
  name: 'Deviation report',
  description:
    'What happened, what it touches, and what was done at once. Copy it, or change it to what your own procedure asks.',
  sections: [
    {
      key: 'event',
      title: 'What happened',
      description:
        'Facts only, as they were observed: who saw what, where, and how. Causes come with the investigation.',
      fields: [
        {
          key: 'location',
          label: 'Where it happened',
          type: 'text',
          required: true,
          help: 'Building, room or line, as your site calls it',
          max: 200,
        },
        {
          key: 'found_by',
          label: 'How it was found',
          type: 'select',
          required: true,
          options: [
            { value: 'operation', label: 'During the work itself' },
            { value: 'in_process_control', label: 'In-process control' },
            { value: 'laboratory', label: 'Laboratory test' },
            { value: 'alarm', label: 'Alarm or monitoring system' },
            { value: 'record_review', label: 'Review of records' },
            { value: 'inspection', label: 'Walk-round, audit or inspection' },
            { value: 'other', label: 'Otherwise' },
          ],
        },
        {
          key: 'found_by_other',
          label: 'How else',
          type: 'text',
          required: true,
          max: 300,
          visible_when: { field: 'found_by', equals: 'other' },
        },
        {
          key: 'expected',
          label: 'What should have happened',
          type: 'textarea',
          required: true,
          help: 'The requirement, limit or step, as the procedure or specification says it',
          min: 10,
          max: 5_000,
        },
        {
          key: 'observed',
          label: 'What happened instead',
          type: 'textarea',
          required: true,
          help: 'With times, values and units, and the people or systems that observed it',
          min: 10,
          max: 10_000,
        },
        {
          key: 'procedure',
          label: 'The document that was departed from',
          type: 'document_picker',
          help: 'The SOP, specification or instruction that says what should have happened',
        },
        {
          key: 'photo',
          label: 'Photograph',
          type: 'image',
          help: 'Of the place or the item, before anything was moved',
        },
      ],
    },
    {
      key: 'extent',
      title: 'What it touches',
      fields: [
        {
          key: 'product_affected',
          label: 'Is product or material affected?',
          type: 'select',
          required: true,
          options: yesNo,
        },
        {
          key: 'batches',
          label: 'Products and batches',
          type: 'textarea',
          required: true,
          help: 'Each with its name, batch number and quantity, and the stage that it is at',
          max: 5_000,
          visible_when: { field: 'product_affected', equals: 'yes' },
        },
        {
          key: 'batch_status',
          label: 'Where these batches are now',
          type: 'select',
          required: true,
          options: [
            { value: 'in_process', label: 'In process' },
            { value: 'quarantine', label: 'On site, in quarantine' },
            { value: 'released', label: 'On site, released' },
            { value: 'distributed', label: 'Distributed, in whole or in part' },
          ],
          visible_when: { field: 'product_affected', equals: 'yes' },
        },
        {
          key: 'recipients',
          label: 'To whom they were distributed, and who was informed',
          type: 'textarea',
          required: true,
          max: 5_000,
          visible_when: { field: 'batch_status', equals: 'distributed' },
        },
        {
          key: 'data_affected',
          label: 'Are records or data affected?',
          type: 'select',
          required: true,
          help: 'Missing, changed, lost, late or not attributable',
          options: yesNo,
        },
        {
          key: 'data_concerned',
          label: 'Which records or data',
          type: 'textarea',
          required: true,
          max: 5_000,
          visible_when: { field: 'data_affected', equals: 'yes' },
        },
      ],
    },
    {
      key: 'first_response',
      title: 'What was done at once',
      fields: [
        {
          key: 'containment',
          label: 'First response',
          type: 'select',
          required: true,
          options: [
            { value: 'stopped', label: 'The work was stopped' },
            { value: 'held', label: 'Product, material or equipment was put on hold' },
            { value: 'corrected', label: 'Corrected on the spot, and the work went on' },
            { value: 'none', label: 'Nothing was done yet' },
          ],
        },
        {
          key: 'containment_details',
          label: 'What exactly, by whom, and when',
          type: 'textarea',
          required: true,
          help: 'If nothing was done yet: why',
          max: 5_000,
        },
        {
          key: 'earlier_capa',
          label: 'An earlier CAPA that should have prevented it',
          type: 'capa_picker',
        },
        {
          key: 'evidence',
          label: 'Record that shows it',
          type: 'file',
          help: 'A copy of the batch record page, the chart or the printout',
        },
      ],
    },
  ],
}
