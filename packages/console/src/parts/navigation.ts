/** Moving between screens by code. An address that is no screen leads to the root. */
import { createBrowserHistory } from '@tanstack/history'
import type { RouterHistory } from '@tanstack/history'
import { guardHistory } from './guard-history.ts'

export const appHistory: RouterHistory = guardHistory(createBrowserHistory())

export const pushPath = (address: string): void => appHistory.push(address)
export const replacePath = (address: string): void => appHistory.replace(address)
