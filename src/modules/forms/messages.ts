import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  form_template_name_taken: ({ name }: { name: string }) =>
    `A form template named ${name} already exists. Choose another name.`,
  form_template_inactive: ({ name }: { name: string }) =>
    `The form template ${name} is not active. Choose another template.`,

  form_too_many_fields: ({ maximum, count }: { maximum: number; count: number }) =>
    `A form template has at most ${maximum} fields, and this one has ${count}. Remove some.`,
  form_section_key_repeated: ({ key }: { key: string }) =>
    `There are two sections with the key ${key}. Choose another key.`,
  form_field_key_repeated: ({ key }: { key: string }) =>
    `There are two fields with the key ${key}. Choose another key.`,
  form_field_key_reserved: ({ key }: { key: string }) => `A field cannot have the key ${key}. Choose another key.`,
  form_options_required: 'Enter the options of the select.',
  form_options_not_allowed: ({ type }: { type: string }) => `Only a select has options. Remove them from the ${type}.`,
  form_option_repeated: ({ value }: { value: string }) =>
    `There are two options with the value ${value}. Choose another value.`,
  form_length_not_allowed: ({ limit, type }: { limit: string; type: string }) =>
    `Only a text or a textarea has ${limit}. Remove it from the ${type}.`,
  form_max_too_large: ({ type, maximum }: { type: string; maximum: number }) =>
    `A ${type} has at most ${maximum} characters. Enter a smaller number.`,
  form_max_too_small: 'Nothing could be written into this field. Enter at least 1.',
  form_min_above_max: ({ min, max }: { min: number; max: number }) =>
    `The least length ${min} is more than the greatest length ${max}. Enter a smaller number.`,
  form_condition_field_unknown: ({ field }: { field: string }) =>
    `There is no earlier field ${field}. Choose an earlier select.`,
  form_condition_field_later: ({ field }: { field: string }) =>
    `This field depends on ${field}, which comes after it. Move it below ${field}, or choose an earlier select.`,
  form_condition_field_not_select: ({ field, type }: { field: string; type: string }) =>
    `A field depends on a select, and ${field} is a ${type}. Choose a select.`,
  form_condition_option_unknown: ({ field, value }: { field: string; value: string }) =>
    `${field} has no option with the value ${value}. Choose one of its options.`,
  form_conditions_too_deep: ({ maximum }: { maximum: number }) =>
    `A field depends on at most ${maximum} others in a chain. Let it depend on an earlier one.`,

  form_id_required: 'Enter the id of a record or of an attachment.',
  form_document_not_found: 'There is no such document that you may read. Choose another one.',
  form_capa_not_found: 'There is no such CAPA that you may read. Choose another one.',
  form_attachment_required: 'Attach the file to this record first. Then enter the id of the attachment here.',
  form_attachment_not_found: 'This record has no such attachment. Attach the file first.',
  form_attachment_not_image: ({ content_type }: { content_type: string }) =>
    `This attachment is not an image but ${content_type}. Choose an image.`,
})
