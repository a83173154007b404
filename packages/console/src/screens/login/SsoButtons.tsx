import { useState } from 'react'
import { config } from '../../api/page.ts'
import { Button } from '../../ui/Button.tsx'
import { ProviderIcon } from './ProviderIcon.tsx'
import { withProvider } from './sign-in.ts'
import styles from './SignIn.module.css'

/** One button per provider, in the order of the proxy. */
export function SsoButtons({ first = false }: { first?: boolean }) {
  const [gone, setGone] = useState<string>()
  return (
    <div className={styles['providers']}>
      {config.auth.providers.map((provider, index) => {
        const name = provider.displayName || provider.name
        return (
          <Button
            key={`${provider.type}/${provider.name}`}
            kind={first && index === 0 && config.auth.providers.length === 1 ? 'primary' : 'secondary'}
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
