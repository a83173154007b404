/** The navigation lists: derived from the route table, the built screens and the viewer's rights. */
import {
  AppWindow,
  Boxes,
  CirclePlus,
  CircleUser,
  Handshake,
  Database,
  Download,
  KeyRound,
  Laptop,
  LifeBuoy,
  Lock,
  Monitor,
  Network,
  Plug,
  PlugZap,
  ShieldQuestionMark,
  Radio,
  ScrollText,
  Server,
  Settings,
  SquarePlay,
  Ticket,
  UserRoundCog,
  UsersRound,
} from 'lucide-react'
import type { UserAcl } from '@sallyport/wire/acl.ts'
import type { ClientConfig } from '@sallyport/wire/config.ts'
import { featureRules, matchRoute, routes } from '@sallyport/wire/routes.ts'
import type { Category, Route, RouteName, Section } from '@sallyport/wire/routes.ts'
import { isBuilt } from '../routes.tsx'
import type { IconType } from '../ui/Icon.tsx'

export interface NavItem {
  name: RouteName
  title: string
  icon: IconType | undefined
  category: Category | undefined
  /** Heading that the item stands under. */
  section: Section | 'Reach' | 'Now' | undefined
  /** The item stays marked on the route itself only, not on its children. */
  exact: boolean
  /** Letter after `g` that opens it. */
  key: string | undefined
  address: (clusterId: string) => string
}

const icons: Partial<Record<RouteName, IconType>> = {
  kubernetes: Boxes,
  nodes: Server,
  apps: AppWindow,
  databases: Database,
  desktops: Monitor,
  sessions: Radio,
  requests: ShieldQuestionMark,
  users: UsersRound,
  roles: UserRoundCog,
  sso: KeyRound,
  locks: Lock,
  tokens: Ticket,
  devices: Laptop,
  discover: CirclePlus,
  integrations: Plug,
  newIntegration: PlugZap,
  recordings: SquarePlay,
  audit: ScrollText,
  clusters: Network,
  trust: Handshake,
  account: CircleUser,
  support: LifeBuoy,
  settings: Settings,
  downloads: Download,
}
const keys: Partial<Record<RouteName, string>> = {
  nodes: 's',
  apps: 'a',
  kubernetes: 'k',
  databases: 'd',
  desktops: 'w',
  recordings: 'r',
  audit: 'l',
  users: 'u',
}

const toItem = (name: RouteName, route: Route): NavItem => ({
  name,
  title: route.title,
  icon: icons[name],
  category: route.category,
  section: route.section ?? (route.category === 'Resources' ? (name === 'sessions' || name === 'requests' ? 'Now' : 'Reach') : undefined),
  exact: route.nonExact !== true,
  key: keys[name],
  address: (clusterId) => addressOf(name, clusterId),
})

/** Navigation leads to routes that need a cluster at most, without what their address may end in. */
function addressOf(name: RouteName, clusterId: string): string {
  return routes[name].pattern.replace('{clusterId}', encodeURIComponent(clusterId)).replace(/\/\{\w+\?\}$/, '')
}

const built = Object.entries<Route>(routes)
  .map(([name, route]) => ({ name: name as RouteName, route }))
  .filter(({ name }) => isBuilt(name))

type Offers = Pick<ClientConfig, 'isDashboard'>
const allows = (acl: UserAcl, config: Offers, { feature }: Route): boolean => feature === undefined || featureRules[feature](acl, config)

/** The side navigation: permitted, built screens that have a category, in the order of the route table. */
export const permittedItems = (acl: UserAcl, config: Offers): NavItem[] =>
  built.filter(({ route }) => route.category !== undefined && allows(acl, config, route)).map(({ name, route }) => toItem(name, route))

/** What stands in the bar above every screen. */
export const topNavItems = (acl: UserAcl, config: Offers): NavItem[] =>
  built.filter(({ route }) => route.topNav && allows(acl, config, route)).map(({ name, route }) => toItem(name, route))

/** Entries of the user menu. */
export const topMenuItems = (acl: UserAcl, config: Offers): NavItem[] =>
  built.filter(({ route }) => route.topMenu && allows(acl, config, route)).map(({ name, route }) => toItem(name, route))

/** Whether `path` is the item's own page, or one below it: any for items that are not exact, else one that no list leads to. */
export function isCurrent(item: NavItem, path: string): boolean {
  const name = matchRoute(path)?.name
  if (name === item.name) return true
  const isListed = name !== undefined && routeOf(name).category !== undefined
  return (!item.exact || !isListed) && path.startsWith(`${item.address('')}/`)
}

const routeOf = (name: RouteName): Route => routes[name]
