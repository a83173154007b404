import { useState } from 'react'
import type { AuthProvider } from '@sallyport/wire/config.ts'
import { config } from '../../api/page.ts'
import { Button } from '../../ui/Button.tsx'
import { ProviderIcon } from './ProviderIcon.tsx'
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
            busy={gone === provider.name}
            disabled={gone !== undefined && gone !== provider.name}
            className={styles['light'] ?? ''}
            onClick={() => {
              setGone(provider.name)
              withProvider(provider)
            }}
          >
            <ProviderIcon provider={provider} />
            <span className="sr">Continue with </span>
            {name}
          </Button>
        )
      })}
    </div>
  )
}
