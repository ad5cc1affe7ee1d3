import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ControlPanel } from './control-panel.tsx'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ControlPanel />
  </StrictMode>,
)
