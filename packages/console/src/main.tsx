import './styles/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { startTheme } from './ui/use-theme.ts'

startTheme()
const place = document.getElementById('app')
if (!place) throw new Error('the page has no #app')
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
