import { useEffect, useState, type RefObject } from 'react'

/** A yes or no about an element's size; asked again when the element, what is in it, or `by` changes. */
export function useMeasured(ref: RefObject<HTMLElement | null>, measure: (element: HTMLElement) => boolean, by: unknown): boolean {
  const [answer, setAnswer] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (!element) {
      setAnswer(false)
      return undefined
    }
    const observer = new ResizeObserver(() => setAnswer(measure(element)))
    observer.observe(element)
    return () => observer.disconnect()
    // oxlint-disable-next-line react/exhaustive-deps -- `measure` is a constant of its caller; `by` stands for the content
  }, [ref, by])
  return answer
}
