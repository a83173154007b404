/** Moving between screens by code. An address that is neither a screen nor the server's own leads to the root. */
import { createBrowserHistory } from '@tanstack/history'
import type { RouterHistory } from '@tanstack/history'
import { guardHistory } from './guard-history.ts'

export const appHistory: RouterHistory = guardHistory(createBrowserHistory(), window.location)

export const pushPath = (address: string): void => appHistory.push(address)
export const replacePath = (address: string): void => appHistory.replace(address)
