import type { ComponentPropsWithRef, MouseEvent } from 'react'
import { pushPath } from './navigation.ts'

export type RouteLinkProps = Omit<ComponentPropsWithRef<'a'>, 'href'> & {
  /** Built by `routePath`, with its search if any. */
  to: string
}

/** A link to another screen of this console: a real address, followed without loading the page. */
export function RouteLink({ to, onClick, children, ...rest }: RouteLinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event)
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!plain || event.defaultPrevented || (rest.target && rest.target !== '_self')) return
    event.preventDefault()
    pushPath(to)
  }
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  )
}
