import { Upload } from 'lucide-react'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './transfer.module.css'

/** What lies over a terminal while files are held over it. */
export function TransferDrop({ title }: { title: string }) {
  return (
    <div className={styles['drop']}>
      <p className="row">
        <Icon of={Upload} size={20} />
        Drop to upload to {title}
      </p>
    </div>
  )
}
