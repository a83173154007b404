import { createContext, useContext } from 'react'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

/** Servers that are marked, on whichever page of the list. Kept out of the rows, so that these stay the same while marks change. */
export interface Marks {
  has: (node: Node) => boolean
  set: (node: Node, on: boolean) => void
}

export const MarkContext = createContext<Marks>({ has: () => false, set: () => undefined })

export const markKey = ({ clusterId, id }: Node): string => `${clusterId}/${id}`

export function MarkCell({ node }: { node: Node }) {
  const marks = useContext(MarkContext)
  return (
    <Checkbox
      label={<span className="sr">Mark {node.hostname}</span>}
      checked={marks.has(node)}
      onChange={(event) => marks.set(node, event.target.checked)}
    />
  )
}
