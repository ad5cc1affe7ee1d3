/** The class that gives a status its colour. */
export const toneOf = (status: string) => status.toLowerCase().replace(' ', '-')

/** A shape for each status, so that the colour is not all that tells them apart. */
const shapes: Record<string, React.ReactNode> = {
  Operational: <path d="M5 10.5l3.2 3.2L15 7" />,
  Degraded: <path d="M10 5v6M10 14.4v.2" />,
  Down: <path d="M6 6l8 8M14 6l-8 8" />,
  'Not configured': <path d="M6 10h8" />,
}

export const StatusMark = ({ status }: { status: string }) => (
  <svg className={`mark ${toneOf(status)}`} viewBox="0 0 20 20" aria-hidden="true">
    <circle cx="10" cy="10" r="10" className="mark-disc" />
    <g className="mark-shape">{shapes[status]}</g>
  </svg>
)
