/**
 * What reading one file may take. A manual of 500 pages has some 1.5 million characters, and pdf.js reads a file of usual pages in
 * some 100 to 200 MB; who made a file to do harm gets no more than this.
 */
export const limits = {
  /** Of the clock: a PDF of 2,000 usual pages takes some 20 seconds. */
  longest_ms: 90_000,
  /** Of the machine's memory. */
  most_memory_mb: 512,
  /** Of JavaScript's own objects, so that it says so itself before the process is ended. */
  most_heap_mb: 320,
  most_characters: 4_000_000,
  most_blocks: 50_000,
  most_block_characters: 16_000,
  most_heading_characters: 300,
  most_pages: 2_000,
  /** As large as an upload may be made by configuration is not as large as a text is read from. */
  most_file_bytes: 256 * 1024 * 1024,
} as const

/** Of a line that a process tells: a block whose characters are all escaped. */
export const most_line_bytes = 8 * (limits.most_block_characters + limits.most_heading_characters) + 1_000

/** The signal by which the process ends itself where it takes too much: any other one is somebody else's. */
export const too_large = 'SIGUSR2'
