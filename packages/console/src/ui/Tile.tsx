import type { ComponentPropsWithRef, ReactNode } from 'react'
import styles from './Tile.module.css'

export interface TileProps extends Omit<ComponentPropsWithRef<'button'>, 'className' | 'name' | 'type'> {
  /** An icon or two letters. */
  mark: ReactNode
  /** Above the name, in small. */
  over: string
  name: ReactNode
  /** Below the name, in small. */
  line?: string
  /** At the end: a badge. */
  end?: ReactNode
}

/** One of several things to choose from, as a button. */
export function Tile({ mark, over, name, line, end, ...rest }: TileProps) {
  return (
    <button {...rest} type="button" className={styles['tile']}>
      <span className={styles['mark']} aria-hidden="true">
        {mark}
      </span>
      <span className="grow">
        <small>{over}</small>
        <span>{name}</span>
        {line && <small>{line}</small>}
      </span>
      {end}
    </button>
  )
}
