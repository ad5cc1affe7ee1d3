import '@fontsource-variable/inter/wght.css'
import '../../styles/tokens.css'
import '../../styles/base.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { Toasts } from '../../ui/toasts.tsx'
import { firstWords, onLanguage, useLanguage } from '../../words/index.ts'
import { ControlPanel } from './control-panel.tsx'

const client = new QueryClient({
  defaultOptions: {
    // Each refused request is an entry of the audit trail, and what is asked for here reads every tenant: once is enough.
    queries: { networkMode: 'always', retry: false, refetchOnWindowFocus: false },
    mutations: { networkMode: 'always', retry: false },
  },
})
// Answers have sentences of the service, in the language that they were asked for in.
onLanguage(() => void client.invalidateQueries())

const App = () => (
  <I18nProvider locale={useLanguage() === 'de' ? 'de-DE' : 'en-GB'}>
    <QueryClientProvider client={client}>
      <ControlPanel />
      <Toasts />
    </QueryClientProvider>
  </I18nProvider>
)

void firstWords.then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
