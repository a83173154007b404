import { Spinner } from '../ui/Spinner.tsx'
import styles from './Waiting.module.css'

/** A page on its way. Nothing shows for the first moments, so that quick ones never flash. */
export function Waiting() {
  return (
    <div className={styles['waiting']}>
      <Spinner delay="long" size={24} />
    </div>
  )
}
