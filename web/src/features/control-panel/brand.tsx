import { Brand } from '../../app/brand.tsx'
import styles from './control-panel.module.css'
import { usePanelWords } from './words.ts'

export const PanelBrand = () => (
  <span className={styles.brand}>
    <Brand />
    <span className="soft">{usePanelWords().part}</span>
  </span>
)
