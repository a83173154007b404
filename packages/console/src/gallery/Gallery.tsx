import { Moon, Sun } from 'lucide-react'
import { IconButton } from '../ui/IconButton.tsx'
import { Logo } from '../ui/Logo.tsx'
import { useTheme } from '../ui/use-theme.ts'
import { ActionPieces } from './ActionPieces.tsx'
import { FeedbackPieces } from './FeedbackPieces.tsx'
import { FieldPieces } from './FieldPieces.tsx'
import { GroundPieces } from './GroundPieces.tsx'
import { LayerPieces } from './LayerPieces.tsx'
import { MarkPieces } from './MarkPieces.tsx'
import { TablePieces } from './TablePieces.tsx'
import styles from './Gallery.module.css'

/** Every piece in every state, on one page; development only. */
export function Gallery() {
  const theme = useTheme()
  return (
    <main className={styles['gallery']}>
      <header className={styles['head']}>
        <Logo size={40} />
        <div className="grow">
          <h1>Components</h1>
          <p className="muted">Every state, one page.</p>
        </div>
        <IconButton
          icon={theme.name === 'dark' ? Sun : Moon}
          label={theme.name === 'dark' ? 'Use light theme' : 'Use dark theme'}
          onClick={theme.toggle}
        />
      </header>
      <GroundPieces />
      <ActionPieces />
      <FieldPieces />
      <MarkPieces />
      <LayerPieces />
      <TablePieces />
      <FeedbackPieces />
    </main>
  )
}
