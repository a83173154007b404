import { useEffect } from 'react'

/** Brings a part of the page into sight when its address was asked for. */
export function ScrollTo({ id }: { id: string }) {
  useEffect(() => document.getElementById(id)?.scrollIntoView({ block: 'start' }), [id])
  return null
}
