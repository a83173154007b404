import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../styles/base.css'
import { startTheme } from '../ui/use-theme.ts'
import { UiRoot } from '../ui/UiRoot.tsx'
import { Gallery } from './Gallery.tsx'
import { pagePieces } from './PagePieces.tsx'

startTheme()
const Page = pagePieces[new URLSearchParams(location.search).get('page') ?? ''] ?? Gallery
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <UiRoot>
        <Page />
      </UiRoot>
    </StrictMode>,
  )
}
