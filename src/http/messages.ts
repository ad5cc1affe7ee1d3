import { defineMessages } from '#kernel/message.ts'

const kinds: Record<string, string> = {
  array: 'Enter a list.',
  boolean: 'Enter true or false.',
  integer: 'Enter a whole number.',
  null: 'Leave this empty.',
  number: 'Enter a number.',
  object: 'Enter an object with fields.',
  string: 'Enter text.',
}

export const messages = defineMessages({
  invalid_request: 'The request is not valid.',
  invalid_path: 'The path of the request is not valid.',
  invalid_http: 'The request is not valid HTTP.',
  invalid_json: 'The request body is not valid JSON.',
  empty_body: 'The request body is empty, although its content type is JSON.',
  idempotency_key_not_accepted:
    'This endpoint takes no Idempotency-Key, because the request or its answer is a file or has a secret. Leave it out.',
  idempotency_key_invalid: 'Enter an Idempotency-Key of 1 to 128 letters, digits and signs, without blanks.',
  body_too_large: 'The request body is too large.',
  body_length_mismatch: 'The request body is not as long as its Content-Length says.',
  content_type_not_accepted: 'This endpoint does not accept this content type.',
  headers_too_large: 'The request headers are too large.',
  host_header_missing: 'The request has no Host header.',
  request_incomplete: 'The request ended before it was complete. Send it again.',
  request_cancelled: 'The request was cancelled before its answer.',
  too_many_requests: ({ seconds }: { seconds: number }) =>
    `Too many requests. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  limit_reached: ({ limit }: { limit: string }) =>
    `Too many requests: the limit ${limit} was reached. Within the next hour further refusals by it are only in the log.`,
  control_panel_not_built:
    'The control panel is not built on this installation. Run npm run build and start the service again.',
  internal_error: 'Something went wrong on our side. Quote the reference when you contact support.',
  database_error: 'Database error. Please try again.',
  clocks_differ:
    'The clocks of the service and of its database differ, so nothing was signed. Try again, and tell your administrator if it goes on.',
  storage_error:
    'The file storage does not work at the moment. Try again, and quote the reference when you contact support.',

  missing: 'Enter a value.',
  extra_forbidden: 'This request has no such field. Correct its name or leave it out.',
  wrong_type: ({ expected }: { expected: string }) => kinds[expected] ?? `Enter a value of the type ${expected}.`,
  not_allowed_value: ({ allowed }: { allowed: readonly (string | number)[] }) =>
    `Choose one of these values: ${allowed.join(', ')}.`,
  too_short: ({ minimum }: { minimum: number }) =>
    minimum === 1 ? 'Enter a value.' : `Enter at least ${minimum} characters.`,
  too_long: ({ maximum }: { maximum: number }) => `Enter at most ${maximum} characters.`,
  too_small: ({ minimum }: { minimum: number }) => `Enter ${minimum} or more.`,
  too_large: ({ maximum }: { maximum: number }) => `Enter ${maximum} or less.`,
  too_few_items: ({ minimum }: { minimum: number }) =>
    minimum === 1 ? 'Enter at least one item.' : `Enter at least ${minimum} items.`,
  too_many_items: ({ maximum }: { maximum: number }) => `Enter at most ${maximum} items.`,
  duplicate_items: 'The list has an item twice. Remove one of them.',
  wrong_pattern: ({ pattern, example }: { pattern: string; example: string | null }) =>
    `Enter a value ${example === null ? `of the form ${pattern}` : `such as ${example}`}.`,
  unreadable_text: 'The text has characters that cannot be stored (NUL or half a character). Remove them.',
  invalid_day: 'Enter a day from 1900 to 2199 as YYYY-MM-DD.',
  invalid_moment: 'Enter a date and time such as 2026-03-01T08:30:00Z.',
  invalid_email: 'Enter an e-mail address such as name@example.com.',
  invalid_value: 'The value is not valid. Enter another one.',

  form_required: 'Send the request as multipart/form-data.',
  form_incomplete: 'The form ended before it was complete. Send it again.',
  form_too_large: ({ maximum_fields }: { maximum_fields: number }) =>
    `The form has too many fields or files. Send one file and at most ${maximum_fields} fields.`,
  form_field_duplicate: 'The form has this field twice. Send it once.',
  file_missing: 'Choose a file.',
  virus_found: ({ virus }: { virus: string }) => `A virus was found in the file: ${virus}. The file was not stored.`,
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_cross_site: ({ about }: { about: string }) =>
    `${about}: sent with the cookie of the browser by a page of another site`,
  reason_virus_found: ({ virus }: { virus: string }) => `A virus was found in the file: ${virus}`,
})
