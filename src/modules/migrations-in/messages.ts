import { defineMessages } from '#kernel/message.ts'

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`

export const messages = defineMessages({
  migration_job_running: ({ number }: { number: string }) =>
    `A job of ${number} is running. Wait until it is done, then try again.`,
  migration_not_open: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${status}, so its content stays as it is. Start another import.`,
  migration_without_rows: ({ number }: { number: string }) => `${number} has no rows yet. Upload a manifest first.`,
  migration_not_checked: ({ number }: { number: string }) => `${number} is not checked yet. Check it first.`,
  migration_has_errors: ({ number, errors }: { number: string; errors: number }) =>
    `${count(errors, 'row')} of ${number} ${errors === 1 ? 'has an error' : 'have errors'}. Correct the manifest, upload it again and check it.`,
  migration_not_rehearsed: ({ number }: { number: string }) =>
    `${number} is not rehearsed yet, or was changed since. Check and rehearse it first.`,
  migration_own: ({ number }: { number: string }) =>
    `You started ${number}, so another person must accept it and compare its samples.`,
  migration_samples_differ: ({ number, samples }: { number: string; samples: number }) =>
    `${count(samples, 'sample')} of ${number} ${samples === 1 ? 'differs' : 'differ'} from the source. Correct the manifest, or compare again.`,
  migration_changed: ({ number }: { number: string }) =>
    `${number} was changed since the report that you read. Read the report again, then accept the import.`,
  migration_nothing_to_continue: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${status}, so there is no load to continue.`,
  migration_not_loaded: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${status}. It can be released once it is loaded and compared with its rows.`,
  migration_released_already: ({ number }: { number: string }) => `${number} is released already.`,
  migration_remarks_required: ({ differences }: { differences: number }) =>
    `${count(differences, 'record')} or files differ from their rows. Enter why, and how each difference is resolved.`,
  migration_report_too_long: 'The report is too long for a PDF. Export it as CSV.',
  migration_sample_comment_required: 'Enter what differs.',
  migration_row_not_sampled: 'This row has an error, so there is nothing to compare yet. Correct it first.',
  migration_unknown_column: ({ sheet, column }: { sheet: string; column: string }) =>
    `The sheet ${sheet} has no column ${column}. Use the names of the template.`,
  migration_unknown_sheet: ({ sheet, known }: { sheet: string; known: readonly string[] }) =>
    `There is no sheet ${sheet}. Use one of these: ${known.join(', ')}.`,
  migration_heading_twice: ({ sheet, heading }: { sheet: string; heading: string }) =>
    `Two columns of the sheet ${sheet} are read from the heading ${heading}. Choose another heading for one of them.`,

  manifest_too_large: ({ maximum_mib }: { maximum_mib: number }) =>
    `The manifest is larger than ${maximum_mib} MiB. Split it into several manifests, one for each sheet.`,
  manifest_too_many_rows: ({ maximum }: { maximum: number }) =>
    `The manifest has more than ${maximum} rows. Split the import into several batches.`,
  manifest_in_utf16: 'The manifest is text in UTF-16. Save it as CSV UTF-8.',
  manifest_not_utf8: 'The manifest is not text in UTF-8, but probably in Windows-1252. Save it as CSV UTF-8.',
  manifest_has_nul: 'The manifest has characters that are no text. Save it as CSV UTF-8.',
  manifest_unreadable: ({ reason }: { reason: string }) => `The manifest cannot be read: ${reason}. Save it again.`,
  manifest_without_sheet: ({ found, known }: { found: readonly string[]; known: readonly string[] }) =>
    `The manifest has no sheet of an import${found.length > 0 ? `, but ${found.join(', ')}` : ''}. Name its sheets as in the template: ${known.join(', ')}.`,
  manifest_sheet_unnamed: ({ known }: { known: readonly string[] }) =>
    `Choose the sheet that this CSV file is, or name the file after it: ${known.join(', ')}.`,
  manifest_sheet_twice: ({ sheet }: { sheet: string }) =>
    `The manifest has two sheets for ${sheet}. Put their rows into one sheet.`,
  manifest_without_headings: ({ sheet }: { sheet: string }) =>
    `The first row of the sheet ${sheet} has no headings. Put the names of the columns there.`,
  manifest_heading_twice: ({ sheet, heading }: { sheet: string; heading: string }) =>
    `The sheet ${sheet} has the heading ${heading} twice. Give each column a heading of its own.`,
  manifest_too_many_columns: ({ sheet, maximum }: { sheet: string; maximum: number }) =>
    `The sheet ${sheet} has more than ${maximum} columns. Remove columns that are not needed.`,

  batch_file_path_invalid: ({ path }: { path: string }) =>
    `The path ${path} is absolute, leads out of its folder, or is longer than 500 characters. Rename the file.`,
  batch_file_type_unknown: ({ ending }: { ending: string }) =>
    ending === ''
      ? 'The name of the file has no ending, so its type is not known. Rename the file.'
      : `Files that end in .${ending} cannot be brought in. Save the file as PDF.`,
  batch_file_infected: ({ virus }: { virus: string }) => `The file has a virus (${virus}). Remove it from the import.`,
  batch_file_not_legacy: ({ ending }: { ending: string }) =>
    `The name of the file ends in .${ending}, but its content is not of that type.`,
  batch_without_files: 'The archive has no files. Choose another archive.',

  // Findings about a row, and what to do about each.
  row_value_missing: ({ column }: { column: string }) => `The column ${column} is empty.`,
  row_fill_in: ({ column }: { column: string }) => `Fill in the column ${column}.`,
  row_column_missing: ({ column }: { column: string }) => `The sheet has no column ${column}.`,
  row_add_column: ({ column }: { column: string }) =>
    `Add the column ${column}, or choose the heading that it is read from.`,
  row_text_too_long: ({ maximum }: { maximum: number }) => `The text is longer than ${maximum} characters.`,
  row_shorten: 'Shorten the text.',
  row_text_invalid: 'The text has characters that cannot be stored.',
  row_type_again: 'Type the text again.',
  row_no_number: ({ value }: { value: string }) => `"${value}" is not a whole number.`,
  row_enter_number: 'Enter a whole number.',
  row_no_choice: ({ value, choices }: { value: string; choices: readonly string[] }) =>
    `"${value}" is none of ${choices.join(', ')}.`,
  row_choose: ({ choices }: { choices: readonly string[] }) => `Enter one of these: ${choices.join(', ')}.`,
  row_no_date: ({ value, format }: { value: string; format: string }) =>
    `"${value}" is not a day written as ${format}.`,
  row_date_ambiguous: ({ value }: { value: string }) =>
    `"${value}" can be two different days, because days and months may be swapped.`,
  row_write_date: ({ format }: { format: string }) =>
    `Write the day as ${format}, or choose the date format of the import.`,
  row_no_moment: ({ value }: { value: string }) => `"${value}" is not a day with a time.`,
  row_write_moment: 'Write it as 2024-03-31 14:05, or as a date of the spreadsheet.',
  row_key_twice: ({ lines }: { lines: readonly number[] }) =>
    `The same key stands in ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}.`,
  row_remove_duplicate: 'Keep one of these rows, and remove the others.',
  row_file_missing: ({ path }: { path: string }) => `There is no file ${path} in the import.`,
  row_upload_file: 'Upload the file in an archive, or correct the path.',
  row_file_legacy: ({ path }: { path: string }) =>
    `${path} is of a type that is only kept as an attachment, not as the file of a document.`,
  row_convert_file: 'Save the file as PDF or in a current format, and upload it again.',
  row_file_twice: ({ path, lines }: { path: string; lines: readonly string[] }) =>
    `The file ${path} is named by other rows too: ${lines.join(', ')}.`,
  row_copy_file: 'Give each row a file of its own: copy the file under another name.',
  row_path_invalid: ({ value }: { value: string }) => `"${value}" is not a path of a file in the import.`,
  row_write_path: 'Write the path as in the archive, such as documents/SOP-0001.pdf.',
  row_refused: ({ reason }: { reason: string }) => `The record was refused: ${reason}`,
  row_needs_other_row: ({ sheet, key }: { sheet: string; key: string }) =>
    `It needs ${key} of the sheet ${sheet}, which has an error. Correct that row first.`,
  row_correct_and_check: 'Correct the row, upload the manifest again, and check it.',
  row_refused_by_database: ({ reason }: { reason: string }) => `The database refused the record: ${reason}`,
  row_report_fault: 'Compare the row with the template. If it looks right, report this message to the operator.',
})

/** Names in the report and the template. */
export const printed = defineMessages({
  /** The state of a batch or a row. */
  migration_word: ({ word }: { word: string }) => `${word}`,
  migration_report_title: ({ number }: { number: string }) => `Migration report ${number}`,
  migration_counts: ({ rows, errors, warnings }: { rows: number; errors: number; warnings: number }) =>
    `${rows} rows, ${errors} with errors, ${warnings} with warnings`,
  migration_compared: ({
    records,
    differences,
    files,
    damaged,
  }: {
    records: number
    differences: number
    files: number
    damaged: number
  }) => `${records} records, ${differences} with differences; ${files} files, ${damaged} damaged`,
  migration_more_rows: ({ shown, rows }: { shown: number; rows: number }) =>
    `The first ${shown} of ${rows} rows are printed, those with findings first. The CSV report has them all.`,
  migration_template_required: 'Required',
  migration_template_choices: ({ choices }: { choices: readonly string[] }) => `One of: ${choices.join(', ')}`,
  migration_history_note:
    'Approvals of before the import are history and no electronic signatures of this system. The import was accepted and released by the signatures named above.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_migration_virus: ({ path, virus }: { path: string; virus: string }) =>
    `The file ${path} has the virus ${virus}`,
})
