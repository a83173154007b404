/** PowerShell with which a domain is prepared for desktops. Each is at the address of the original and at a short one. */
import * as z from 'zod/mini'
import { call } from '../call.ts'

const tokenParams = z.object({ token: z.string().check(z.maxLength(4096)) })
const script = <Path extends string>(id: string, path: Path) =>
  call({ id, method: 'GET', path, allow: 'public', limit: 'high', answer: 'raw' })
const scriptOf = <Path extends string>(id: string, path: Path) =>
  call({ id, method: 'GET', path, allow: 'public', limit: 'high', params: tokenParams, answer: 'raw' })

/** Makes the first domain controller. */
export const installDirectory = script('desktopScripts.installDirectory', '/v1/webapi/scripts/desktop-access/install-ad-ds.ps1')
/** The token stands for anything: the script is the same for everybody. */
export const plainInstallDirectory = scriptOf('desktopScripts.plainInstallDirectory', '/scripts/{token}/install-ad-ds.ps1')
/** Makes the certificate authority of a domain. */
export const installDomainAuthority = script('desktopScripts.installDomainAuthority', '/v1/webapi/scripts/desktop-access/install-ad-cs.ps1')
export const plainInstallDomainAuthority = scriptOf('desktopScripts.plainInstallDomainAuthority', '/scripts/{token}/install-ad-cs.ps1')
/** Prepares a domain, for who holds a join token with the role WindowsDesktop; 400 for others. */
export const configureDomain = scriptOf(
  'desktopScripts.configureDomain',
  '/v1/webapi/scripts/desktop-access/configure/{token}/configure-ad.ps1',
)
export const plainConfigureDomain = scriptOf(
  'desktopScripts.plainConfigureDomain',
  '/scripts/desktop-access/configure/{token}/configure-ad.ps1',
)
export const shortConfigureDomain = scriptOf('desktopScripts.shortConfigureDomain', '/scripts/{token}/configure-ad.ps1')
