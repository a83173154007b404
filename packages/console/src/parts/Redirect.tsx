import { useEffect } from 'react'
import { replacePath } from './navigation.ts'

/** Goes to another screen in place of this one. */
export function Redirect({ to }: { to: string }) {
  useEffect(() => replacePath(to), [to])
  return null
}
