import { Suspense } from 'react'
import type { Category } from '@sallyport/wire/routes.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../api/page.ts'
import { lazyScreen } from '../parts/lazy-screen.tsx'
import { isCurrent, permittedItems } from '../parts/nav-items.ts'
import { usePlace } from '../parts/place.tsx'
import type { NavItem } from '../parts/nav-items.ts'
import { pushPath } from '../parts/navigation.ts'
import { RouteLink } from '../parts/RouteLink.tsx'
import { useUserContext } from '../parts/user-context.tsx'
import { cx } from '../ui/cx.ts'
import { Icon } from '../ui/Icon.tsx'
import { Logo } from '../ui/Logo.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { useStickyCluster } from './sticky-cluster.ts'
import styles from './SideNav.module.css'

const RequestNews = lazyScreen(async () => (await import('./RequestNews.tsx')).RequestNews)

const categories: readonly Category[] = ['Resources', 'Management']

/** What the side navigation and the drawer both hold: the name, the two categories, the screens of one of them. */
export function NavContent({ rail = false }: { rail?: boolean }) {
  const { acl } = useUserContext()
  const clusterId = useStickyCluster()
  const { pathname: path } = usePlace()
  const items = permittedItems(acl, config)
  const present = categories.filter((category) => items.some((item) => item.category === category))
  const category = items.find((item) => isCurrent(item, path))?.category ?? present[0]
  const shown = items.filter((item) => item.category === category)
  const goTo = (next: Category): void => {
    const first = items.find((item) => item.category === next)
    if (first) pushPath(first.address(clusterId))
  }
  return (
    <>
      <RouteLink className={styles['brand']} to={routePath('root')} aria-label="Sallyport, start page">
        <Logo word={!rail} />
      </RouteLink>
      {present.length > 1 && category && !rail && (
        <Segmented
          className={styles['switch'] ?? ''}
          label="Navigation"
          fill
          segments={present.map((value) => ({ value, label: value }))}
          value={category}
          onValue={goTo}
        />
      )}
      {sectionsOf(rail && present.length > 1 ? items : shown).map(([section, entries]) => (
        <section key={section} aria-label={section}>
          {!rail && <h2 className={styles['section']}>{section}</h2>}
          <ul>
            {entries.map((item) => (
              <li key={item.name}>
                <Entry item={item} current={isCurrent(item, path)} clusterId={clusterId} rail={rail} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

function Entry({ item, current, clusterId, rail }: { item: NavItem; current: boolean; clusterId: string; rail: boolean }) {
  const { acl } = useUserContext()
  const hasNews = (acl.accessRequests.create || acl.accessRequests.edit) && !config.isUsageBasedBilling
  const link = (
    <RouteLink
      className={cx(styles['item'], current && styles['on'])}
      to={item.address(clusterId)}
      {...(current && { 'aria-current': 'page' as const })}
      {...(rail && { 'aria-label': item.title })}
    >
      {item.icon && <Icon of={item.icon} />}
      <span>{item.title}</span>
      {!rail && item.name === 'requests' && hasNews && (
        <Suspense>
          <RequestNews />
        </Suspense>
      )}
    </RouteLink>
  )
  if (!rail) return link
  return (
    <Tooltip text={item.title} describes={false}>
      {link}
    </Tooltip>
  )
}

/** Items under their headings, both in the order of the items; headings without items do not exist. */
function sectionsOf(items: readonly NavItem[]): [string, NavItem[]][] {
  return [...Map.groupBy(items, (item) => item.section ?? 'Pages')]
}
