import { defineMessages } from '#kernel/message.ts'

const mebibyte = 1024 * 1024

export const messages = defineMessages({
  file_too_large: ({ maximum_bytes }: { maximum_bytes: number }) =>
    `The file is larger than ${maximum_bytes % mebibyte === 0 ? `${maximum_bytes / mebibyte} MiB` : `${maximum_bytes} bytes`}. Choose a smaller file.`,
  storage_quota_exceeded: ({
    quota_mb,
    left_bytes,
    file_bytes,
  }: {
    quota_mb: number
    left_bytes: number
    file_bytes: number
  }) =>
    `The file has ${file_bytes} bytes, and ${left_bytes} bytes are left of the ${quota_mb} MiB that your company may store. Ask the operator of the service for more space.`,
  file_empty: 'The file is empty. Choose another file.',
  file_type_not_accepted: ({ ending, accepted }: { ending: string; accepted: readonly string[] }) =>
    `${ending === '' ? 'Files without an ending in their name' : `Files that end in .${ending}`} are not accepted. Choose one of these types: ${accepted.join(', ')}.`,
  file_type_mismatch: ({ ending, found }: { ending: string; found: string | null }) =>
    `The name of the file ends in .${ending}, but its content is ${found === null ? `not that of a .${ending} file` : `that of a .${found} file`}.`,
  file_is_old_office: ({ ending }: { ending: string }) =>
    `The name of the file ends in .${ending}, but its content is that of an old or password-protected Office file. Save it in the current format without a password.`,
  file_is_no_text: ({ ending }: { ending: string }) =>
    `The name of the file ends in .${ending}, but its content is not text in UTF-8. Save it as UTF-8.`,
  file_is_no_page: ({ ending }: { ending: string }) =>
    `The name of the file ends in .${ending}, but its content is not that of a web page, which begins with <!doctype html> or <html>.`,
  file_check_timeout: 'The file could not be checked in time. Try again later.',
  file_damaged: ({ format }: { format: string }) => `The ${format} file is cut off or damaged.`,
  file_has_trailing_data: ({ format }: { format: string }) =>
    `Other data follows the end of the ${format} file. Save it again without this data.`,
  file_hides_archive: 'The file hides a ZIP archive. Save it again without the archive.',
  file_has_macros: 'The file has macros. Save it without them.',
  file_password_protected: 'The file is protected by a password. Save it without one.',
  file_is_no_office: ({ kind }: { kind: string }) =>
    `The file is not a ${kind} file, because its list of parts is missing or names another kind of file.`,
  file_parts_list_too_long: 'The list of the parts of the file is too long.',
  file_is_no_open_document: 'The file is not an OpenDocument file, because its type or its list of parts is missing.',
  open_document_kind_mismatch: 'The file is an OpenDocument file of another kind than its name says.',
  file_nested_too_deep: ({ maximum }: { maximum: number }) =>
    `The file contains files within files, more than ${maximum} levels deep.`,
  file_has_embedded_archive: ({ name }: { name: string }) =>
    `The file contains an archive, ${name}, where none belongs. Save it without the archive.`,
  file_has_dtd: 'The file contains XML with a document type (DTD). Save it again with an Office program.',
  file_in_archive_refused: ({ name, reason }: { name: string; reason: string; reason_code: string }) =>
    `${name} in the archive: ${reason}`,
  pdf_has_leading_data: 'The PDF does not begin with %PDF-. Save it again without the data before it.',
  pdf_incomplete: 'The PDF does not end with %%EOF. It is cut off, or other data follows it.',
  pdf_has_too_many_pages: ({ pages, maximum }: { pages: number; maximum: number }) =>
    `The PDF has ${pages} pages, and at most ${maximum} are accepted. Split it into several files.`,
  pdf_encrypted: 'The PDF is encrypted. Save it without a password and without restrictions.',
  text_not_utf8: 'The file is not text in UTF-8 to its end. Save it as UTF-8.',
  tiff_kind_not_accepted: 'This kind of TIFF file is not accepted. Save it as an ordinary TIFF.',
  page_has_element: ({ element }: { element: string }) =>
    `The page has the element <${element}>. Save it without this element.`,
  page_has_attribute: ({ attribute, element }: { attribute: string; element: string }) =>
    `The page would run or fetch something by the attribute ${attribute} of <${element}>. Save it without this attribute.`,
  page_comment_has_element: 'The page has a comment with elements in it. Save it without this comment.',
  archive_damaged: 'The archive is cut off or damaged.',
  archive_empty: 'The archive is empty.',
  archive_too_many_entries: ({ maximum }: { maximum: number }) =>
    `The archive has more than ${maximum} entries. Split it into several archives.`,
  archive_inconsistent: ({ name }: { name: string }) =>
    `The archive contradicts itself about ${name}. Create it again with another program.`,
  archive_duplicate_entry: ({ name }: { name: string }) => `The archive has ${name} twice.`,
  archive_entry_name_invalid: 'The archive has an entry without a valid file name.',
  archive_compression_not_accepted:
    'The archive is compressed by a method that is not accepted. Save it as an ordinary ZIP archive.',
  archive_has_hidden_data: 'The archive has data that its list of entries does not name.',
  archive_entries_overlap: 'The entries of the archive overlap.',
  archive_entry_size_wrong: ({ name }: { name: string }) => `The archive gives a wrong size for ${name}.`,
  archive_entry_damaged: ({ name }: { name: string }) => `${name} in the archive is damaged.`,
  archive_inflates_too_much: ({ ratio, maximum_mib }: { ratio: number; maximum_mib: number }) =>
    `The archive inflates to more than ${ratio} times its size, or to more than ${maximum_mib} MiB.`,
})
