import styles from './Kbd.module.css'

/** The name of a key, or of keys pressed together ("Ctrl K"). */
export function Kbd({ children }: { children: string }) {
  return <kbd className={styles['kbd']}>{children}</kbd>
}
