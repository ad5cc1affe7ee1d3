import { defineMessages } from '#kernel/message.ts'

type Placed = { name: string; line: number }

export const messages = defineMessages({
  template_name_taken: ({ name }: { name: string }) =>
    `A content template named ${name} already exists. Choose another name.`,
  template_deleted: ({ name }: { name: string }) =>
    `The content template ${name} was deleted and can only be read. Create a new template instead.`,
  template_changed_meanwhile: ({ name }: { name: string }) =>
    `The content template ${name} was changed in the meantime. Reload it and try again.`,

  template_variable_repeated: ({ name }: { name: string }) =>
    `There are two variables named ${name}. Rename or remove one of them.`,
  template_variable_built_in: ({ name }: { name: string }) => `Every template has {{${name}}}. Choose another name.`,
  template_variable_unused: ({ name }: { name: string }) =>
    `The body does not contain {{${name}}}. Insert it, or remove the variable.`,
  template_options_required: 'Enter the options of the select.',
  template_options_not_allowed: ({ type }: { type: string }) =>
    `Only a select has options. Remove them from the ${type}.`,
  template_option_malformed: 'Each option must be a single line, without blanks before or after it.',
  template_default_not_allowed: ({ type }: { type: string }) => `A ${type} has no default. Remove it.`,
  template_default_has_blanks: 'Remove the blanks before and after the default.',

  template_variable_undeclared: ({ name, line }: Placed) =>
    `Line ${line}: {{${name}}} is not declared. Add it to the variables.`,
  template_variable_misplaced: ({ name, line }: Placed) =>
    `Line ${line}: {{${name}}} cannot stand in code, HTML or a link. Move it into the text.`,
  template_long_text_not_alone: ({ name, line }: Placed) =>
    `Line ${line}: {{${name}}} is a long text. Put it into a paragraph of its own.`,
  template_variable_misnamed: ({ placeholder, line }: { placeholder: string; line: number }) =>
    `Line ${line}: ${placeholder} does not name a variable. Use lower-case letters, digits and _, and begin with a letter.`,
  template_braces_not_opened: ({ line }: { line: number }) => `Line ${line}: There is no {{ before this }}.`,
  template_braces_not_closed: ({ line }: { line: number }) => `Line ${line}: Close {{ with }} on the same line.`,
  template_character_reserved: ({ line }: { line: number }) =>
    `Line ${line}: There is a character that Unicode does not allow in text. Remove it.`,
  template_body_unreadable:
    'The body cannot be read as Markdown: it takes too long, or its parts are nested more than 12 deep. Simplify it.',
  template_emphasis_within_word:
    'Emphasis begins or ends at a variable within a word. Put a blank between the word and the variable.',

  template_value_not_one_line: 'Enter a single line.',
  template_value_has_control_characters: 'The text contains control characters. Remove them.',
  template_value_not_number: 'Enter a number such as 12 or 0.5.',
  template_value_not_id: ({ type }: { type: string }) => `Enter the id of a ${type}.`,
  template_value_not_found: ({ type }: { type: string }) => `There is no such ${type}. Choose another one.`,

  template_document_permission_required:
    'You need the permission documents.create to create a document from a template.',
  template_document_has_no_format: 'Leave the format out. The file of a document is always a PDF.',
  template_document_title_required: 'Enter a title for the document.',
  template_document_type_required: 'Choose a document type, because the template does not name one.',
  template_pdf_not_accepted: 'Your company does not accept .pdf files. Ask an Admin to allow them in the settings.',
  template_text_unreadable: 'The text could not be read as Markdown. Try again in a minute.',
})

/** Texts that are printed or mailed. */
export const printed = defineMessages({
  template_and_version: ({ template, version }: { template: string; version: string }) =>
    `${template}, version ${version}`,
})
