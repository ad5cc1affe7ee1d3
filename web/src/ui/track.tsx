import styles from './track.module.css'

/** How far something is; what it is, and the share in words, stand beside it. */
export const Track = ({ percentage }: { percentage: number | undefined }) => (
  <div className={styles.track}>
    <div style={{ width: `${percentage}%` }} />
  </div>
)
