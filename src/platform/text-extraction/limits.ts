/**
 * Limits of reading one file, against malicious files. A manual of 500 pages has some 1.5 million characters, and pdf.js reads usual files
 * in 100 to 200 MB.
 */
export const limits = {
  /** By the clock. A PDF of 2,000 usual pages takes some 20 seconds. */
  longest_ms: 90_000,
  /** Memory of the process. */
  most_memory_mb: 512,
  /** The JavaScript heap, below the limit above, so that the process reports the excess itself. */
  most_heap_mb: 320,
  most_characters: 4_000_000,
  most_blocks: 50_000,
  most_block_characters: 16_000,
  most_heading_characters: 300,
  /** Of a table that is read for its values. */
  most_rows: 100_000,
  most_columns: 100,
  most_row_characters: 40_000,
  /** Read of one file. A PDF with more than MAX_PDF_PAGES is not read at all, because finding a page in a list of any length takes time. */
  most_pages: 2_000,
  /** Larger files can be uploaded, but their text is not read. */
  most_file_bytes: 256 * 1024 * 1024,
} as const

/** The longest line of output: a block or a row with every character escaped. */
export const most_line_bytes =
  8 * Math.max(limits.most_block_characters + limits.most_heading_characters, limits.most_row_characters) + 5_000

/** The signal by which the process ends itself for taking too much memory, to tell it from a foreign kill. */
export const too_large = 'SIGUSR2'
