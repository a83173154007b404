import { GitBranch } from 'lucide-react'
import { useState } from 'react'
import type { AuthProvider } from '@sallyport/wire/config.ts'
import { config } from '../../api/page.ts'
import { Button } from '../../ui/Button.tsx'
import { withProvider } from './sign-in.ts'
import styles from './SignIn.module.css'

const { providers, defaultConnectorName } = config.auth
const isDefault = ({ name, type }: AuthProvider): boolean => name === defaultConnectorName && type === config.auth.authType
const inOrder = [...providers.filter(isDefault), ...providers.filter((provider) => !isDefault(provider))]

/** One button per provider, in the order of the proxy, the default one first. */
export function SsoButtons({ first = false }: { first?: boolean }) {
  const [gone, setGone] = useState<string>()
  return (
    <div className={styles['providers']}>
      {inOrder.map((provider, index) => {
        const name = provider.displayName || provider.name
        return (
          <Button
            key={`${provider.type}/${provider.name}`}
            kind={first && index === 0 && inOrder.length === 1 ? 'primary' : 'secondary'}
            size={40}
            wide
            {...(provider.type === 'github' && { icon: GitBranch })}
            busy={gone === provider.name}
            disabled={gone !== undefined && gone !== provider.name}
            className={styles['light'] ?? ''}
            onClick={() => {
              setGone(provider.name)
              withProvider(provider)
            }}
          >
            {provider.type !== 'github' && (
              <b className={styles['tile']} aria-hidden="true">
                {name.slice(0, 1).toUpperCase()}
              </b>
            )}
            <span className="sr">Continue with </span>
            {name}
          </Button>
        )
      })}
    </div>
  )
}
