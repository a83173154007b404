import { createContext, useContext } from 'react'
import type { ReactNode } from 'react'
import type { UserContext } from '@sallyport/wire/entities/user-context.ts'

const Context = createContext<UserContext | undefined>(undefined)

export function UserContextProvider({ value, children }: { value: UserContext; children: ReactNode }) {
  return <Context value={value}>{children}</Context>
}

/** Who is signed in, with their rights. It is there before any private screen renders. */
export function useUserContext(): UserContext {
  const value = useContext(Context)
  if (!value) throw new Error('useUserContext outside of a private screen')
  return value
}
